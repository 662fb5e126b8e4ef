// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Torus-2QoS: dimension order on a torus or mesh of up to three dimensions, deadlock-free by
// datelines, with two levels of QoS. Paths avoid failed cables, and failed switches where possible,
// without a change of their SL. Source: torus-2QoS(8). Cost: O(switches * LIDs).
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct Torus2QosOptions {
  unsigned threads = 0;
  unsigned vls_max = 8;
  const TorusConfig* torus = nullptr;  // --torus_config: the shape to match

  static constexpr OptionSet kSupports{Option::kTorusConfig};
  static Torus2QosOptions from(const RoutingOptions& all);
};

/// The shape is that of options.torus. Fails with kUnroutable if the fabric does not fit the shape,
/// if a ring is partitioned, if a switch has more ports than portgroup_max_ports to hosts or in one
/// direction, or if so many switches are missing that paths do not exist or packets could deadlock;
/// with kOutOfVls if the ports have too few VLs; and with kUsage if options.torus is null.
Result<Routes> route_torus_2qos(const Fabric& fabric, const Torus2QosOptions& options);

}  // namespace weft
