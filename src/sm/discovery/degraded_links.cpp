// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/degraded_links.h"

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

/// Number of lanes of the widest link width in a mask; 0 if no width is known.
unsigned widest(std::uint8_t mask) {
  unsigned most = 0;
  for (const LinkWidth width :
       {LinkWidth::k1x, LinkWidth::k2x, LinkWidth::k4x, LinkWidth::k8x, LinkWidth::k12x})
    if ((mask & static_cast<std::uint8_t>(width)) != 0) most = std::max(most, lanes(width));
  return most;
}

struct PortAttributes {
  const PortInfo& info;
  ExtendedPortInfo extended;
};

/// The highest speed that both ends have enabled.
std::optional<LinkSpeed> common_speed(const PortAttributes& a, const PortAttributes& b) {
  const SpeedBits left = speeds(a.info);
  const SpeedBits right = speeds(b.info);
  const auto common = fastest_speed({static_cast<std::uint8_t>(left.basic & right.basic),
                                     static_cast<std::uint8_t>(left.ext & right.ext),
                                     static_cast<std::uint8_t>(left.ext2 & right.ext2)});
  const bool fdr10 =
      (a.extended.link_speed_enabled & b.extended.link_speed_enabled & kFdr10Bit) != 0;
  return common == LinkSpeed::kQdr && fdr10 ? LinkSpeed::kFdr10 : common;
}

bool is_degraded(const PortAttributes& a, const PortAttributes& b) {
  const auto width = active_width(a.info);
  if (width && lanes(*width) < widest(widths(a.info) & widths(b.info))) return true;
  const auto common = common_speed(a, b);
  const auto speed = active_speed(a.info, a.extended);
  return common && speed && *speed < *common;
}

}  // namespace

bool is_degraded_link(const ObservedNode& a, PortNum a_port, const ObservedNode& b,
                      PortNum b_port) {
  const PortAttributes near{a.ports[a_port.value()], a.extended_at(a_port)};
  const PortAttributes far{b.ports[b_port.value()], b.extended_at(b_port)};
  return is_degraded(near, far) || is_degraded(far, near);
}

double rate_share(const ObservedNode& a, PortNum a_port, const ObservedNode& b, PortNum b_port) {
  const PortAttributes near{a.ports[a_port.value()], a.extended_at(a_port)};
  const PortAttributes far{b.ports[b_port.value()], b.extended_at(b_port)};
  const auto width = active_width(near.info);
  const auto speed = active_speed(near.info, near.extended);
  const unsigned best_width = widest(widths(near.info) & widths(far.info));
  const auto best_speed = common_speed(near, far);
  if (!width || !speed || best_width == 0 || !best_speed) return 1;
  const auto rate = [](unsigned lane_count, LinkSpeed of) {
    return static_cast<double>(lane_count) * data_rate_100mbit(LinkWidth::k4x, of);
  };
  const double best = rate(best_width, *best_speed);
  return best > 0 ? std::min(1.0, rate(lanes(*width), *speed) / best) : 1;
}

std::vector<std::string> degraded_links(const Observed& observed) {
  std::vector<std::string> degraded;
  const Fabric& fabric = observed.fabric;
  const auto attributes_of = [&](PortId port) {
    const Port& p = fabric.port(port);
    const ObservedNode& node = observed.nodes[p.node.value()];
    return PortAttributes{node.ports[p.num.value()], node.extended_at(p.num)};
  };
  for (std::uint32_t i = 0; i < fabric.port_count(); ++i) {
    const PortId near(i), far = fabric.port(near).peer;
    if (far == kNoPort || far < near) continue;
    const PortAttributes a = attributes_of(near);
    const PortAttributes b = attributes_of(far);
    if (!is_degraded(a, b) && !is_degraded(b, a)) continue;
    const auto width = active_width(a.info);
    const auto speed = active_speed(a.info, a.extended);
    const auto common = common_speed(a, b);
    degraded.push_back(fmt::format(
        "{} to {} runs at {}x {}, both ends have enabled {}x {}", describe(fabric, near),
        describe(fabric, far), width ? lanes(*width) : 0, speed ? name(*speed) : "?",
        widest(widths(a.info) & widths(b.info)), common ? name(*common) : "?"));
  }
  return degraded;
}

std::vector<bool> degraded_channels(const Observed& observed) {
  const auto attributes_of = [&](SwitchId sw, PortNum port) {
    const ObservedNode& node = observed.nodes[sw.value()];
    return PortAttributes{node.ports[port.value()], node.extended_at(port)};
  };
  std::vector<bool> result;
  result.reserve(observed.fabric.channel_count());
  for (const Channel& channel : observed.fabric.channels()) {
    const PortAttributes from = attributes_of(channel.from, channel.from_port);
    const PortAttributes to = attributes_of(channel.to, channel.to_port);
    result.push_back(is_degraded(from, to) || is_degraded(to, from));
  }
  return result;
}

}  // namespace weft
