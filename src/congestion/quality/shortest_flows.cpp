// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/shortest_flows.h"

#include <bit>
#include <utility>

namespace weft {

ShortestFlows::ShortestFlows(const PortMap& map, std::span<const std::uint32_t> hosts)
    : map_(map), hosts_(hosts), passing_(hosts.size(), 0), flow_(hosts.size() * kLftBlock, 0) {}

ShortestFlows::Word ShortestFlows::add(const BlockPorts& ports, Word lids,
                                       const OrderedHops& from_switch,
                                       std::span<std::uint64_t> load) {
  const Word longer = follow(ports, lids, from_switch, 1, load);
  // The flows to these LIDs are subtracted along the same hops, so that none of them remains.
  if (longer != 0) follow(ports, longer, from_switch, ~std::uint64_t{0}, load);
  return longer;
}

/// Adds `sign` times the flows, modulo 2^64, up to the first hop that does not reduce the distance.
ShortestFlows::Word ShortestFlows::follow(const BlockPorts& ports, Word lids,
                                          const OrderedHops& from_switch, std::uint64_t sign,
                                          std::span<std::uint64_t> load) {
  // Local copies, so that the compiler need not reload the pointers after each store.
  const std::uint16_t* const hops = from_switch.hops.data();
  std::uint32_t* const flow = flow_.data();
  Word* const passing = passing_.data();
  Word longer = 0;
  for (std::size_t n = from_switch.nearest_first.size(); n-- > 1;) {
    const std::uint32_t s = from_switch.nearest_first[n];
    const std::uint32_t own = hosts_[s];
    const Word passed = std::exchange(passing[s], 0);
    const std::uint8_t* const port = ports.row(SwitchId(s)).data();
    const PortMap::Row next_hops = map_.row(SwitchId(s));
    for (Word left = own > 0 ? lids : passed; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t flows =
          own + ((passed >> i & 1) != 0 ? std::exchange(flow[s * kLftBlock + i], 0) : 0);
      const PortMap::Hop next = next_hops[PortNum(port[i])];
      if (next.to == kNoSwitch || hops[next.to.value()] >= hops[s]) {
        longer |= Word{1} << i;
        continue;
      }
      load.data()[next.channel.value()] += sign * flows;
      flow[next.to.value() * kLftBlock + i] += flows;
      passing[next.to.value()] |= Word{1} << i;
    }
  }
  // Resets the flows that reached the destination switch.
  const std::uint32_t last = from_switch.nearest_first.front();
  for (Word left = std::exchange(passing_[last], 0); left != 0; left &= left - 1)
    flow_[last * kLftBlock + static_cast<std::size_t>(std::countr_zero(left))] = 0;
  return longer;
}

}  // namespace weft
