// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/notifications.h"

#include <algorithm>

namespace weft::emulator {

bool Notifications::sends_notifications(const NodeModel& sw) const {
  return sw.alive && sw.adaptive.info.enabled && sw.adaptive.info.rn_transmission;
}

std::uint32_t Notifications::link_generation(PortId port) const {
  return model_.port(std::min(port, model_.wire(port).peer)).link_generation;
}

void Notifications::port_down(PortId port) {
  const Port& facts = model_.fabric().port(port);
  const NodeModel& sw = model_.node(facts.node);
  if (!sw.is_switch || !sends_notifications(sw)) return;
  for (std::size_t number = 0; number < sw.adaptive.group_count(); ++number)
    if (sw.adaptive.ports(number).test(facts.num.value()))
      notify_if_lost(facts.node, static_cast<std::uint16_t>(number));
}

void Notifications::reset(NodeId id) {
  NodeModel& sw = model_.node(id);
  sw.adaptive.lost.clear();
  sw.adaptive.notified.clear();
  if (!sends_notifications(sw)) return;
  for (std::size_t number = 0; number < sw.adaptive.group_count(); ++number)
    notify_if_lost(id, static_cast<std::uint16_t>(number));
}

/// Sends a notification for the group if it has ports, but no usable one, and if none was sent for
/// it since the last reset().
void Notifications::notify_if_lost(NodeId id, std::uint16_t number) {
  NodeModel& sw = model_.node(id);
  AdaptiveModel& adaptive = sw.adaptive;
  const std::bitset<256> group = adaptive.ports(number);
  if (group.none() || number > adaptive.info.group_top ||
      model_.live_group(sw, number, PortState::kArmed).any())
    return;
  const std::uint8_t direction = adaptive.direction(number);
  if (direction >= adaptive.strings.size() || adaptive.strings[direction] == 0) return;
  if (!adaptive.notified.insert(number).second) return;
  ++counters_.notifications.generated;
  notify(id, number, adaptive.strings[direction], adaptive.transmit_ports & ~group);
}

/// Sends the notification of one group through all ports in `by` at the same time. Notifications of
/// several groups are sent one after the other.
void Notifications::notify(NodeId id, std::uint16_t group, std::uint16_t string,
                           const std::bitset<256>& by) {
  NodeModel& sw = model_.node(id);
  AdaptiveModel& adaptive = sw.adaptive;
  adaptive.sending_until =
      std::max(clock_.now(), adaptive.sending_until) + model_.options().notification_time;
  for (unsigned num = 1; num <= sw.port_count; ++num) {
    if (!by.test(num)) continue;
    const PortId port(sw.first_port + num);
    if (model_.wire(port).state >= PortState::kArmed)
      send(port, group, string, adaptive.sending_until);
  }
}

void Notifications::send(PortId from, std::uint16_t group, std::uint16_t string, TimeNs time) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = {model_.wire(from).peer, link_generation(from), string, group};
  ++counters_.notifications.sent;
  events_.push(time + model_.options().hop_latency, EventKind::kNotification, slot);
}

/// Whether a static entry of the switch has this group and this output port.
bool Notifications::forwards_statically(const AdaptiveModel& adaptive, std::uint16_t group,
                                        PortNum port) {
  return std::ranges::any_of(adaptive.entries, [&](const ArLftEntry& entry) {
    return entry.state == 2 && entry.group == group && entry.default_port == port;
  });
}

void Notifications::arrive(std::uint32_t slot) {
  const Packet packet = slots_[slot];
  free_.push_back(slot);
  const Port& facts = model_.fabric().port(packet.to);
  NodeModel& sw = model_.node(facts.node);
  if (link_generation(packet.to) != packet.link || !sw.is_switch || !sends_notifications(sw))
    return;
  AdaptiveModel& adaptive = sw.adaptive;
  const RnRcvString received =
      packet.string < adaptive.received.size() ? adaptive.received[packet.string] : RnRcvString{};
  if (received.decision == RnDecision::kPassOn) {
    if (!forwards_statically(adaptive, packet.group, facts.num) ||
        !adaptive.notified.insert(packet.group).second)
      return;
    ++counters_.notifications.passed_on;
    counters_.notifications.last_use = clock_.now();
    notify(facts.node, packet.group, received.string,
           std::bitset<256>(adaptive.pass_on_ports).reset(facts.num.value()));
  } else if (received.decision == RnDecision::kConsume) {
    if (packet.group >= adaptive.group_count() ||
        !adaptive.ports(packet.group).test(facts.num.value()))
      return;
    auto& lost = adaptive.lost[packet.group];
    if (lost.test(facts.num.value())) return;
    lost.set(facts.num.value());
    ++counters_.notifications.consumed;
    counters_.notifications.last_use = clock_.now();
    notify_if_lost(facts.node, packet.group);
  }
}

}  // namespace weft::emulator
