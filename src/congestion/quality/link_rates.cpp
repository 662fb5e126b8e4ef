// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/link_rates.h"

#include <algorithm>

#include "ib/enums.h"

namespace weft {
namespace {

std::uint32_t rate_of(const Port& port) {
  return std::max(1u, data_rate_100mbit(port.width, port.speed));
}

}  // namespace

LinkRates link_rates(const Fabric& fabric, std::span<const EndportId> hosts) {
  LinkRates rates;
  rates.channels.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels())
    rates.channels.push_back(
        rate_of(fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port))));
  rates.hosts.reserve(hosts.size());
  for (const EndportId host : hosts)
    rates.hosts.push_back(rate_of(fabric.port(fabric.endport(host).port)));
  const auto is_first = [&](std::uint32_t rate) { return rate == rates.hosts.front(); };
  rates.equal = rates.hosts.empty() || (std::ranges::all_of(rates.hosts, is_first) &&
                                        std::ranges::all_of(rates.channels, is_first));
  return rates;
}

}  // namespace weft
