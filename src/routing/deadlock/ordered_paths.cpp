// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/ordered_paths.h"

namespace weft::ordered {

std::vector<std::uint32_t> trunks_by_port(const Fabric& fabric, const Trunks& trunks) {
  std::vector<std::uint32_t> found(fabric.switch_count() * kPorts, kNoTrunk);
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    for (const std::uint32_t channel : trunks.channels_of(t)) {
      const PortNum port = fabric.channel(ChannelId(channel)).from_port;
      found[trunks.tail[t] * kPorts + port.value()] = t;
    }
  return found;
}

std::uint8_t lane_of(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                     const Paths& paths) {
  if (!lids[b].empty()) return paths.lane[paths.at(a, lids[b].front().value())];
  if (!lids[a].empty()) return paths.lane[paths.at(b, lids[a].front().value())];
  return kNoTraffic;
}

}  // namespace weft::ordered
