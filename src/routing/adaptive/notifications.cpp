// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/notifications.h"

#include <array>

namespace weft {
namespace {

/// Returns kRnToOne or kRnToSeveral: whether the ports of a group have one neighbor or several
/// neighbors. A group without a channel results in kRnNoDirection.
std::uint8_t direction_of(const Fabric& fabric, SwitchId sw, const PortMask& group) {
  SwitchId one = kNoSwitch;
  bool several = false;
  for_each_port(group, [&](PortNum port) {
    const ChannelId channel = fabric.channel_at(sw, port);
    if (channel == kNoChannel) return;
    const SwitchId to = fabric.channel(channel).to;
    several = several || (one != kNoSwitch && to != one);
    one = to;
  });
  return one == kNoSwitch ? kRnNoDirection : several ? kRnToSeveral : kRnToOne;
}

/// Whether LIDs of which a switch may be notified with one string are in groups, and whether such
/// LIDs are static.
struct FrnTargets {
  bool in_groups = false;
  bool fixed = false;
};

}  // namespace

std::vector<SwitchNotifications> plan_notifications(const Fabric& fabric, const Routes& routes,
                                                    std::span<const std::uint8_t> notifies) {
  const ArTables& tables = *routes.adaptive;
  std::vector<SwitchNotifications> all(fabric.switch_count());
  const auto takes_part = [&](SwitchId sw) {
    return sw.value() < notifies.size() && notifies[sw.value()] != 0;
  };
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    if (!takes_part(sw)) continue;
    for (const PortMask& group : tables.groups(sw))
      all[s].directions.push_back(direction_of(fabric, sw, group));
    for (std::uint8_t direction = 0; direction < kRnDirections; ++direction)
      all[s].strings.push_back(rn_string(direction));
    all[s].received.resize(kRnStrings);
  }
  const auto string_of = [&](SwitchId from, Lid lid) -> std::uint16_t {
    const ArEntry entry = tables.entry(from, lid);
    if (entry.state == ArState::kStatic) return kRnForwarded;
    const std::uint8_t direction = all[from.value()].directions[entry.group];
    return direction == kRnNoDirection ? std::uint16_t{0} : rn_string(direction);
  };
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    if (!takes_part(sw)) continue;
    std::array<FrnTargets, kRnStrings> targets_of_string{};
    for (std::uint32_t l = 1; l <= fabric.lid_top().value(); ++l) {
      const Lid lid(static_cast<std::uint16_t>(l));
      const EndportId owner = fabric.endport_of(lid);
      if (owner == kNoEndport || fabric.endport(owner).sw == sw) continue;
      const bool fixed = tables.group_of(sw, lid) == nullptr;
      for_each_choice(routes.lfts, &tables, sw, lid, [&](PortNum port) {
        const ChannelId channel = port == kNoRoute ? kNoChannel : fabric.channel_at(sw, port);
        if (channel == kNoChannel) return;
        const Channel& out = fabric.channel(channel);
        if (!takes_part(out.to) || fabric.endport(owner).sw == out.to) return;
        all[out.to.value()].ports.set(out.to_port.value());
        FrnTargets& targets = targets_of_string[string_of(out.to, lid)];
        (fixed ? targets.fixed : targets.in_groups) = true;
      });
    }
    for (std::uint16_t string = 1; string < kRnStrings; ++string) {
      if (targets_of_string[string].in_groups)
        all[s].received[string].decision = RnDecision::kConsume;
      else if (targets_of_string[string].fixed)
        all[s].received[string] = {RnDecision::kPassOn, 0, kRnForwarded};
    }
  }
  return all;
}

}  // namespace weft
