// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/channel_weights.h"

#include <algorithm>

namespace weft {
namespace {

/// Of the fastest link's time, where other times are no multiples of it: FDR takes 1.84 times
/// EDR's. Few, so that sums of loads stay within 32 bits on all but the largest subnets.
constexpr unsigned kParts = 16;

}  // namespace

std::vector<std::uint32_t> channel_weights(const Fabric& fabric) {
  unsigned fastest = 1;
  std::vector<unsigned> rates;
  for (const Channel& channel : fabric.channels()) {
    const Port& port =
        fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
    rates.push_back(std::max(1u, data_rate_100mbit(port.width, port.speed)));
    fastest = std::max(fastest, rates.back());
  }
  const bool whole = std::ranges::all_of(rates, [&](unsigned rate) { return fastest % rate == 0; });
  const unsigned unit = whole ? 1 : kParts;
  std::vector<std::uint32_t> weights;
  weights.reserve(rates.size());
  for (const unsigned rate : rates) weights.push_back((unit * fastest + rate / 2) / rate);
  return weights;
}

}  // namespace weft
