// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/channel_weights.h"

#include <algorithm>

namespace weft {

std::vector<std::uint32_t> channel_weights(const Fabric& fabric) {
  unsigned fastest = 1;
  std::vector<unsigned> rates;
  for (const Channel& channel : fabric.channels()) {
    const Port& port =
        fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
    rates.push_back(std::max(1u, data_rate_100mbit(port.width, port.speed)));
    fastest = std::max(fastest, rates.back());
  }
  std::vector<std::uint32_t> weights;
  weights.reserve(rates.size());
  for (const unsigned rate : rates) weights.push_back(std::max(1u, fastest / rate));
  return weights;
}

}  // namespace weft
