// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Data rates of links in units of 100 Mbit/s, at least 1, so that loads can be divided by them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "ib/enums.h"

namespace weft {

inline std::uint32_t link_rate(const Port& port) {
  return std::max(1u, data_rate_100mbit(port.width, port.speed));
}

/// Rates by channel.
inline std::vector<std::uint32_t> channel_rates(const Fabric& fabric) {
  std::vector<std::uint32_t> rates;
  rates.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels())
    rates.push_back(
        link_rate(fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port))));
  return rates;
}

}  // namespace weft
