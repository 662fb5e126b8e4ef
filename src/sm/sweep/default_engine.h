// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The engine of a manager without routing_engine: kAdaptiveDefaultEngine on a tree in which all
// switches are AR-capable, otherwise kDefaultEngine. NVIDIA's OpenSM uses ar_updn by default on
// every fabric; on fabrics other than trees the paths of ar_updn are longer and concentrate near
// the root.
#pragma once

#include <optional>

#include "sm/adaptive/ar_reading.h"
#include "sm/options.h"
#include "sm/subnet_memory.h"

namespace weft {

/// The switches of memory.observed that are queried for adaptive routing in a heavy sweep; none if
/// no switch is queried. If adaptive routing is not configured, the switches on which an earlier
/// manager may have enabled adaptive routing are queried until each switch has answered. Adaptive
/// routing is then disabled there, because the routes are verified without it. After that, if no
/// engine is configured, the switches of a tree are queried until one switch is known to lack
/// adaptive routing.
std::optional<ArScope> ar_scope(const SmOptions& options, const SubnetMemory& memory);

/// Whether kAdaptiveDefaultEngine is the default, after the switches were queried. While some
/// switch has not answered, the last decision applies, so that a lost SMP changes no routes.
bool defaults_to_adaptive(const SmOptions& options, const SubnetMemory& memory);

}  // namespace weft
