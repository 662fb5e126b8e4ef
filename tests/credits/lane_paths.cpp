// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "credits/lane_paths.h"

namespace weft::credits {
namespace {

constexpr std::uint8_t kVlOfDrops = 15;

}  // namespace

std::uint32_t channel_count_with_endports(const Fabric& fabric) {
  return fabric.channel_count() + 2 * fabric.endport_count();
}

bool delivers(const Fabric& fabric, std::uint32_t link) {
  return link >= fabric.channel_count() + fabric.endport_count();
}

std::optional<LanePath> lane_path(const Fabric& fabric, const Routes& routes, EndportId source,
                                  Lid lid, Sl sl) {
  const EndportId owner = fabric.endport_of(lid);
  if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch) return std::nullopt;
  const Endport& from = fabric.endport(source);
  LanePath path{{fabric.channel_count() + source.value(), routes.sl2vl.common()[sl.value()]}};
  SwitchId at = from.sw;
  PortNum in = from.sw_port;
  while (path.size() <= 2 * std::size_t{fabric.switch_count()}) {
    const PortNum out = routes.lfts.port(at, lid);
    if (at == fabric.endport(owner).sw && out == fabric.endport(owner).sw_port) {
      const std::uint32_t link = fabric.channel_count() + fabric.endport_count() + owner.value();
      path.push_back(
          {link, out == PortNum(0) ? std::uint8_t{0} : routes.sl2vl.vl(at, in, out, sl).value()});
      break;
    }
    const ChannelId channel = out == kNoRoute ? kNoChannel : fabric.channel_at(at, out);
    if (channel == kNoChannel) return std::nullopt;
    path.push_back({channel.value(), routes.sl2vl.vl(at, in, out, sl).value()});
    at = fabric.channel(channel).to;
    in = fabric.channel(channel).to_port;
  }
  for (const LaneHop& hop : path)
    if (hop.vl == kVlOfDrops) return std::nullopt;
  if (!delivers(fabric, path.back().link)) return std::nullopt;
  return path;
}

}  // namespace weft::credits
