#include "sm/throttled.h"

#include <algorithm>
#include <optional>

namespace weft {
namespace {

std::uint8_t widths(const PortInfo& info) {
  return info.link_width_enabled != 0 ? info.link_width_enabled : info.link_width_supported;
}

SpeedBits speeds(const PortInfo& info) {
  const SpeedBits enabled{info.link_speed_enabled, info.link_speed_ext_enabled,
                          info.link_speed_ext2_enabled};
  if (enabled != SpeedBits{}) return enabled;
  return {info.link_speed_supported, info.link_speed_ext_supported, info.link_speed_ext2_supported};
}

/// Lanes of the widest of a mask; 0 where none is known.
unsigned widest(std::uint8_t mask) {
  unsigned most = 0;
  for (const LinkWidth width :
       {LinkWidth::k1x, LinkWidth::k2x, LinkWidth::k4x, LinkWidth::k8x, LinkWidth::k12x})
    if ((mask & static_cast<std::uint8_t>(width)) != 0) most = std::max(most, lanes(width));
  return most;
}

/// The fastest that both have enabled.
std::optional<LinkSpeed> common_speed(const PortInfo& a, const PortInfo& b) {
  const SpeedBits left = speeds(a);
  const SpeedBits right = speeds(b);
  return fastest({static_cast<std::uint8_t>(left.basic & right.basic),
                  static_cast<std::uint8_t>(left.ext & right.ext),
                  static_cast<std::uint8_t>(left.ext2 & right.ext2)});
}

bool throttled(const PortInfo& a, const PortInfo& b) {
  const auto width = active_width(a);
  if (width && lanes(*width) < widest(widths(a) & widths(b))) return true;
  const auto common = common_speed(a, b);
  const auto speed = active_speed(a);
  return common && speed && *speed < *common;
}

}  // namespace

std::vector<std::string> slow_links(const Observed& observed) {
  std::vector<std::string> slow;
  const Fabric& fabric = observed.fabric;
  const auto info = [&](PortId port) -> const PortInfo& {
    const Port& p = fabric.port(port);
    return observed.nodes[p.node.value()].ports[p.num.value()];
  };
  for (std::uint32_t i = 0; i < fabric.port_count(); ++i) {
    const PortId near(i), far = fabric.port(near).peer;
    if (far == kNoPort || far < near) continue;
    const PortInfo& a = info(near);
    const PortInfo& b = info(far);
    if (!throttled(a, b) && !throttled(b, a)) continue;
    const auto width = active_width(a);
    const auto speed = active_speed(a);
    const auto common = common_speed(a, b);
    slow.push_back(fmt::format("{} to {} runs at {}x {}, and both ends can {}x {}",
                               describe(fabric, near), describe(fabric, far),
                               width ? lanes(*width) : 0, speed ? name(*speed) : "?",
                               widest(widths(a) & widths(b)), common ? name(*common) : "?"));
  }
  return slow;
}

std::vector<bool> throttled_channels(const Observed& observed) {
  const auto info = [&](SwitchId sw, PortNum port) -> const PortInfo& {
    return observed.nodes[sw.value()].ports[port.value()];
  };
  std::vector<bool> result;
  result.reserve(observed.fabric.channel_count());
  for (const Channel& channel : observed.fabric.channels()) {
    const PortInfo& from = info(channel.from, channel.from_port);
    const PortInfo& to = info(channel.to, channel.to_port);
    result.push_back(throttled(from, to) || throttled(to, from));
  }
  return result;
}

}  // namespace weft
