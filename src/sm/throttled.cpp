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

bool throttled(const PortInfo& a, const PortInfo& b) {
  const auto width = active_width(a);
  if (width && lanes(*width) < widest(widths(a) & widths(b))) return true;
  const SpeedBits left = speeds(a);
  const SpeedBits right = speeds(b);
  const auto common = fastest({static_cast<std::uint8_t>(left.basic & right.basic),
                               static_cast<std::uint8_t>(left.ext & right.ext),
                               static_cast<std::uint8_t>(left.ext2 & right.ext2)});
  const auto speed = active_speed(a);
  return common && speed && *speed < *common;
}

}  // namespace

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
