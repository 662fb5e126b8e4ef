// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rates of links, for figures that weigh loads by capacity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Rates in units of 100 Mbit/s, at least 1.
struct LinkRates {
  std::vector<std::uint32_t> channels;  // by channel
  std::vector<std::uint32_t> hosts;     // by position in the list of hosts
  bool equal = true;                    // all rates are equal, or there are no hosts
};

/// `hosts` must be cabled to switches.
LinkRates link_rates(const Fabric& fabric, std::span<const EndportId> hosts);

}  // namespace weft
