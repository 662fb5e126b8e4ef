// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/notifications.h"

#include <algorithm>

#include "routes/routes.h"

namespace weft {
namespace {

bool decides(const SwitchNotifications& here, RnDecision decision) {
  return std::ranges::any_of(
      here.received, [&](const RnRcvString& received) { return received.decision == decision; });
}

}  // namespace

NotificationRole notification_role(const Routes& routes, SwitchId sw, Lid lid) {
  NotificationRole role;
  if (!routes.adaptive) return role;
  const SwitchNotifications* here = routes.adaptive->notifications(sw);
  if (here == nullptr) return role;
  const ArEntry entry = routes.adaptive->entry(sw, lid);
  if (entry.state == ArState::kStatic) {
    const PortNum port = routes.lfts.port(sw, lid);
    role.passes_on = port != kNoRoute && port != PortNum(0) && decides(*here, RnDecision::kPassOn);
    return role;
  }
  role.generates = entry.group < here->directions.size() &&
                   here->directions[entry.group] != kRnNoDirection && here->ports.any();
  role.consumes = decides(*here, RnDecision::kConsume);
  return role;
}

NotificationCount count_notifications(const Routes& routes) {
  NotificationCount count;
  if (!routes.adaptive) return count;
  for (std::uint32_t s = 0; s < routes.adaptive->switch_count(); ++s) {
    if (routes.adaptive->notifications(SwitchId(s)) == nullptr) continue;
    ++count.switches;
    for (std::uint32_t lid = 1; lid <= routes.adaptive->top().value(); ++lid) {
      const auto role =
          notification_role(routes, SwitchId(s), Lid(static_cast<std::uint16_t>(lid)));
      count.generate += role.generates ? 1 : 0;
      count.consume += role.consumes ? 1 : 0;
      count.pass_on += role.passes_on ? 1 : 0;
    }
  }
  return count;
}

}  // namespace weft
