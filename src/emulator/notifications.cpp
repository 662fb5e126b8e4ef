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
  const AdaptiveModel& adaptive = sw.adaptive;
  for (std::size_t lid = 1; lid < adaptive.entries.size(); ++lid) {
    const std::bitset<256>* group = adaptive.group(Lid(static_cast<std::uint16_t>(lid)));
    if (group != nullptr && group->test(facts.num.value()))
      notify_if_lost(facts.node, Lid(static_cast<std::uint16_t>(lid)));
  }
}

void Notifications::reset(NodeId id) {
  NodeModel& sw = model_.node(id);
  sw.adaptive.lost.clear();
  sw.adaptive.notified.clear();
  if (!sends_notifications(sw)) return;
  for (std::size_t lid = 1; lid < sw.adaptive.entries.size(); ++lid)
    notify_if_lost(id, Lid(static_cast<std::uint16_t>(lid)));
}

/// Sends a notification for the LID if it is in a group without a usable port.
void Notifications::notify_if_lost(NodeId id, Lid lid) {
  NodeModel& sw = model_.node(id);
  AdaptiveModel& adaptive = sw.adaptive;
  const std::bitset<256>* group = adaptive.group(lid);
  if (group == nullptr || group->none() || model_.live_choices(sw, lid, PortState::kArmed).any())
    return;
  const ArLftEntry& entry = adaptive.entries[lid.value()];
  if (entry.group >= adaptive.directions.size()) return;
  const std::uint8_t direction = adaptive.directions[entry.group];
  if (direction >= adaptive.strings.size() || adaptive.strings[direction] == 0) return;
  if (!adaptive.notified.insert(lid.value()).second) return;
  ++counters_.notifications.generated;
  notify(id, lid, adaptive.strings[direction], adaptive.transmit_ports & ~*group);
}

/// Notifications of a switch leave one LID after the other, through these ports at once.
void Notifications::notify(NodeId id, Lid lid, std::uint16_t string, const std::bitset<256>& by) {
  NodeModel& sw = model_.node(id);
  AdaptiveModel& adaptive = sw.adaptive;
  adaptive.sending_until =
      std::max(clock_.now(), adaptive.sending_until) + model_.options().notification_time;
  for (unsigned num = 1; num <= sw.port_count; ++num) {
    if (!by.test(num)) continue;
    const PortId port(sw.first_port + num);
    if (model_.wire(port).state >= PortState::kArmed)
      send(port, lid, string, adaptive.sending_until);
  }
}

void Notifications::send(PortId from, Lid lid, std::uint16_t string, TimeNs time) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = {model_.wire(from).peer, link_generation(from), string, lid};
  ++counters_.notifications.sent;
  events_.push(time + model_.options().hop_latency, EventKind::kNotification, slot);
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
    const bool by_it = adaptive.group(packet.lid) == nullptr &&
                       model_.choose(sw, packet.lid, PortState::kDown) == facts.num;
    if (!by_it || !adaptive.notified.insert(packet.lid.value()).second) return;
    ++counters_.notifications.passed_on;
    counters_.notifications.last_use = clock_.now();
    notify(facts.node, packet.lid, received.string,
           std::bitset<256>(adaptive.pass_on_ports).reset(facts.num.value()));
  } else if (received.decision == RnDecision::kConsume) {
    const std::bitset<256>* group = adaptive.group(packet.lid);
    if (group == nullptr || !group->test(facts.num.value())) return;
    auto& lost = adaptive.lost[packet.lid.value()];
    if (lost.test(facts.num.value())) return;
    lost.set(facts.num.value());
    ++counters_.notifications.consumed;
    counters_.notifications.last_use = clock_.now();
    notify_if_lost(facts.node, packet.lid);
  }
}

}  // namespace weft::emulator
