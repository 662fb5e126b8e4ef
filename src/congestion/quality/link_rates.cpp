// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/link_rates.h"

#include <algorithm>

#include "fabric/link_rates.h"

namespace weft {

LinkRates link_rates(const Fabric& fabric, std::span<const EndportId> hosts) {
  LinkRates rates;
  rates.channels = channel_rates(fabric);
  rates.hosts.reserve(hosts.size());
  for (const EndportId host : hosts)
    rates.hosts.push_back(link_rate(fabric.port(fabric.endport(host).port)));
  const auto is_first = [&](std::uint32_t rate) { return rate == rates.hosts.front(); };
  rates.equal = rates.hosts.empty() || (std::ranges::all_of(rates.hosts, is_first) &&
                                        std::ranges::all_of(rates.channels, is_first));
  return rates;
}

}  // namespace weft
