// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/network.h"

#include <algorithm>
#include <utility>

namespace weft::emulator {
namespace {

bool is_answer(Method method) { return (static_cast<unsigned>(method) & 0x80) != 0; }

}  // namespace

Status Station::send(const Smp& smp) {
  network_.send(smp, *this);
  return {};
}
std::optional<Smp> Station::receive() { return network_.receive(*this); }
void Station::wait_until(TimeNs deadline) { network_.wait(*this, deadline); }

bool Station::take_link_change() {
  if (!attachment_.by_all_ports) return false;
  const Model& model = network_.model();
  std::bitset<256> up;
  for (unsigned num = 1; num <= model.node(place_.node).port_count; ++num) {
    const PortId port = model.port_id(place_.node, PortNum(static_cast<std::uint8_t>(num)));
    up[num] = model.port(port).info.state >= PortState::kInit;
  }
  return std::exchange(links_up_, up) != up;
}

/// The port by which an SMP leaves. If the manager uses all ports of its node, the path of the SMP
/// selects the port.
Place Station::egress_place(const Smp& smp) const {
  if (!attachment_.by_all_ports) return place_;
  const std::uint8_t port = departure_port(smp);
  return port == 0 ? place_ : Place{place_.node, PortNum(port)};
}

Network::Network(EmulatedFabric& owner, const Fabric& fabric, const EmulatorOptions& options)
    : owner_(owner),
      options_(options),
      model_(fabric, options_),
      traps_(model_, events_, clock_,
             [this](const Smp& smp, Place from) {
               ++counters_.traps;
               const std::uint32_t slot = packets_.take();
               packets_[slot].smp = smp;
               launch(slot, from, clock_.now());
             }),
      notifications_(model_, events_, clock_, counters_),
      links_(model_, events_, clock_, traps_, notifications_),
      mkeys_(model_, traps_, events_, clock_),
      sma_(model_, links_, traps_, notifications_, mkeys_, counters_),
      gmps_(model_, events_, clock_, counters_),
      faults_(options.faults),
      rng_(options.seed) {
  links_.bring_up_all();
}

Station& Network::attach(EndportId where, const Attachment& attachment) {
  for (const auto& station : stations_) CHECK(station->endport_ != where);
  const Port& port = model_.fabric().port(model_.fabric().endport(where).port);
  stations_.push_back(
      std::make_unique<Station>(*this, where, Place{port.node, port.num}, attachment));
  stations_.back()->take_link_change();
  if (attachment.is_sm) set_is_sm(where, true);
  return *stations_.back();
}

void Network::detach(EndportId where) {
  const auto at = std::ranges::find(stations_, where, [](const auto& s) { return s->endport_; });
  CHECK(at != stations_.end());
  for (const std::uint32_t slot : (*at)->inbox_) packets_.give_back(slot);
  if ((*at)->attachment_.is_sm) set_is_sm(where, false);
  stations_.erase(at);
}

void Network::set_is_sm(EndportId where, bool is_sm) {
  const PortId port = model_.fabric().endport(where).port;
  const std::uint32_t mask = model_.port(port).info.capability_mask;
  set_capability_mask(port, is_sm ? mask | cap_mask::kIsSm : mask & ~cap_mask::kIsSm);
}

void Network::set_capability_mask(PortId port, std::uint32_t mask) {
  if (std::exchange(model_.port(port).info.capability_mask, mask) == mask) return;
  if (!model_.node(model_.fabric().port(port).node).quirks.no_change_traps)
    traps_.local_change(port, false, 0);
}

void Network::send(const Smp& smp, const Station& from) {
  ++counters_.sent;
  const std::uint32_t slot = packets_.take();
  Smp& copy = packets_[slot].smp;
  copy = smp;
  copy.port = 0;
  const Place place = from.egress_place(smp);
  if (copy.mgmt_class == MgmtClass::kSmpLidRouted) {
    const PortId port = model_.agent_port(place.node, place.port);
    if (!model_.has_lid(port, copy.slid)) copy.slid = model_.port(port).info.lid;
  }
  launch(slot, place, clock_.now());
}

std::optional<Smp> Network::receive(Station& at) {
  if (at.inbox_.empty()) return std::nullopt;
  const std::uint32_t slot = at.inbox_.front();
  at.inbox_.pop_front();
  packets_.give_back(slot);  // the slot keeps its content until it is used again
  if (at.attachment_.by_all_ports) packets_[slot].smp.port = packets_[slot].to.port.value();
  return packets_[slot].smp;
}

void Network::wait(const Station& at, TimeNs deadline) {
  gmps_.take_arrived();
  while (at.inbox_.empty() && !events_.empty() && events_.next_time() <= deadline) {
    step();
    if (gmps_.take_arrived()) return;
  }
  // Without pending events, waiting without a deadline would never end.
  if (at.inbox_.empty() && deadline != TimeNs::max()) clock_.advance_to(deadline);
}

void Network::wait(const GmpStation& at, TimeNs deadline) {
  while (at.inbox_.empty() && !events_.empty() && events_.next_time() <= deadline) step();
  if (at.inbox_.empty() && deadline != TimeNs::max()) clock_.advance_to(deadline);
}

void Network::run_until(TimeNs time) {
  while (!events_.empty() && events_.next_time() <= time) step();
  clock_.advance_to(time);
}

void Network::step() {
  const Event event = events_.pop();
  clock_.advance_to(event.time);
  switch (event.kind) {
    case EventKind::kArrival:
      arrive(event.subject);
      break;
    case EventKind::kTraining:
      links_.training_done(PortId(event.subject), event.generation);
      break;
    case EventKind::kLeaseEnd:
      mkeys_.lease_end(PortId(event.subject), event.generation);
      break;
    case EventKind::kTrapRepeat:
      traps_.repeat(event.subject, event.generation);
      break;
    case EventKind::kGmpArrival:
      gmps_.arrive(event.subject);
      break;
    case EventKind::kNotification:
      notifications_.arrive(event.subject);
      break;
    case EventKind::kAction: {
      const EmulatedFabric::Action action = std::move(actions_[event.subject]);
      free_actions_.push_back(event.subject);
      action(owner_);
      break;
    }
  }
}

void Network::schedule(TimeNs time, EmulatedFabric::Action action) {
  if (free_actions_.empty()) {
    free_actions_.push_back(static_cast<std::uint32_t>(actions_.size()));
    actions_.emplace_back();
  }
  const std::uint32_t slot = free_actions_.back();
  free_actions_.pop_back();
  actions_[slot] = std::move(action);
  events_.push(std::max(time, clock_.now()), EventKind::kAction, slot);
}

void Network::drop(std::uint32_t slot, Drop why) {
  ++counters_.dropped[static_cast<std::size_t>(why)];
  packets_.give_back(slot);
}

Network::Faults Network::draw_faults(const Packet& packet) {
  Faults faults;
  const auto late = [&] {
    return TimeNs{static_cast<std::int64_t>(
        rng_.below(static_cast<std::uint64_t>(std::max(faults_.late_by_max, TimeNs{1}).count())))};
  };
  if (filter_) {
    const auto delivery = filter_(packet.smp, packet.from.node, packet.to.node);
    faults.lost = delivery == EmulatedFabric::Delivery::kLose;
    faults.doubled = delivery == EmulatedFabric::Delivery::kDouble;
    if (delivery == EmulatedFabric::Delivery::kDelay) faults.late_by = late();
  }
  if (faults_.lost > 0 && rng_.chance(faults_.lost)) faults.lost = true;
  if (faults_.doubled > 0 && rng_.chance(faults_.doubled)) faults.doubled = true;
  if (faults_.late > 0 && rng_.chance(faults_.late)) faults.late_by = late();
  return faults;
}

/// Determines the path and sends the SMP. Changes of the fabric during the flight are checked on
/// arrival.
void Network::launch(std::uint32_t slot, Place from, TimeNs time) {
  depart(slot, from, walk(model_, packets_[slot].smp, from), time);
}

void Network::depart(std::uint32_t slot, Place from, const Walk& path, TimeNs time) {
  Packet& packet = packets_[slot];
  packet.from = from;
  packet.epoch = links_.epoch();
  if (path.drop) return drop(slot, *path.drop);
  packet.to = path.end;
  TimeNs arrival = time + options_.hop_latency * path.hops;
  if (path.hops > 0 && (filter_ || faults_.lost > 0 || faults_.doubled > 0 || faults_.late > 0)) {
    const Faults faults = draw_faults(packet);
    if (faults.lost) return drop(slot, Drop::kFault);
    if (faults.doubled) {
      ++counters_.doubled;
      const std::uint32_t copy = packets_.take();
      packets_[copy] = packets_[slot];
      events_.push(arrival, EventKind::kArrival, copy);
    }
    if (faults.late_by > TimeNs{0}) ++counters_.late;
    arrival += faults.late_by;
  }
  events_.push(arrival, EventKind::kArrival, slot);
}

bool Network::path_is_intact(const Packet& packet) const {
  Smp again = packet.smp;
  again.hop_pointer = static_cast<std::uint8_t>(again.returning ? again.hop_count + 1 : 0);
  const Walk path = walk(model_, again, packet.from);
  return !path.drop && path.end.node == packet.to.node && path.end.port == packet.to.port;
}

void Network::arrive(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  if (packet.epoch != links_.epoch() && !path_is_intact(packet))
    return drop(slot, Drop::kPathBroken);
  if (!model_.node(packet.to.node).alive) return drop(slot, Drop::kDeadNode);
  const Method method = packet.smp.method;
  if (!is_answer(method) && !has_room(model_.node(packet.to.node)))
    return drop(slot, Drop::kQueueFull);
  if (packet.smp.mgmt_class == MgmtClass::kSmpDirected && packet.smp.returning != is_answer(method))
    return drop(slot, Drop::kMalformed);
  if (is_answer(method) || method == Method::kTrap) return deliver(slot);
  if (method == Method::kTrapRepress) {
    sma_.repress(packet.smp, packet.to);
    packets_.give_back(slot);
    return;
  }
  serve(slot);
}

TimeNs Network::answer_time(const NodeModel& node) const {
  if (clock_.now() < node.starting_until) return node.quirks.starting_answer_time;
  return node.quirks.answer_time > TimeNs{0} ? node.quirks.answer_time : options_.sma_time;
}

bool Network::has_room(const NodeModel& node) const {
  if (node.quirks.queue_max == 0) return true;
  return node.busy_until - clock_.now() <= (node.quirks.queue_max - 1) * answer_time(node);
}

Station* Network::station_at(Place place) {
  for (const auto& station : stations_)
    if (station->place_.node == place.node &&
        (model_.node(place.node).is_switch || station->attachment_.by_all_ports ||
         station->place_.port == place.port))
      return station.get();
  return nullptr;
}

void Network::deliver(std::uint32_t slot) {
  Station* station = station_at(packets_[slot].to);
  if (station == nullptr) return drop(slot, Drop::kNoReceiver);
  ++counters_.delivered;
  station->inbox_.push_back(slot);
}

void Network::serve(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  Smp& smp = packet.smp;
  if (smp.method != Method::kGet && smp.method != Method::kSet) {
    smp.method = static_cast<Method>(static_cast<unsigned>(smp.method) | 0x80);
    smp.status = mad_status::kMethodUnsupported;
    ++counters_.bad_status;
    return reply(slot);
  }
  // The attached SM handles SMInfo; without an SM the agent responds.
  if (smp.attribute == AttributeId::kSmInfo && station_at(packet.to) != nullptr)
    return deliver(slot);
  if (!sma_.answer(smp, packet.to)) return packets_.give_back(slot);
  reply(slot);
}

/// The path of a response: the reversed path of its request, if no link has changed.
Walk Network::path_back(Packet& packet) {
  Smp& smp = packet.smp;
  const bool is_directed = smp.mgmt_class == MgmtClass::kSmpDirected &&
                           smp.dr_slid == kLidPermissive && smp.dr_dlid == kLidPermissive;
  if (!is_directed || packet.epoch != links_.epoch()) return walk(model_, smp, packet.to);
  smp.hop_pointer = 0;
  return {std::nullopt, packet.from, smp.hop_count};
}

void Network::reply(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  Smp& smp = packet.smp;
  if (smp.mgmt_class == MgmtClass::kSmpLidRouted) {
    std::swap(smp.slid, smp.dlid);
  } else {
    smp.returning = true;
    if (smp.dr_dlid != kLidPermissive) smp.dlid = smp.slid;
  }
  NodeModel& node = model_.node(packet.to.node);
  node.busy_until = std::max(clock_.now(), node.busy_until) + answer_time(node);
  const bool is_late = node.quirks.late_every > 0 && ++node.answers % node.quirks.late_every == 0;
  const Walk path = path_back(packet);
  depart(slot, packet.to, path, node.busy_until + (is_late ? node.quirks.late_by : TimeNs{0}));
}

void Network::switch_off(NodeId node) {
  if (!model_.node(node).alive) return;
  model_.node(node).alive = false;
  traps_.forget(node);
  gmps_.reset(node);
  links_.node_off(node);
}

void Network::switch_on(NodeId node) {
  if (model_.node(node).alive) return;
  model_.power_up(node);
  model_.node(node).starting_until = clock_.now() + model_.node(node).quirks.starting_for;
  links_.node_on(node);
  announce_managers(node);
}

void Network::announce_managers(NodeId node) {
  for (const auto& station : stations_)
    if (station->place_.node == node && station->attachment_.is_sm)
      set_is_sm(station->endport_, true);
}

void Network::set_behavior(NodeId node, const DeviceBehavior& quirks) {
  const auto before = std::exchange(model_.node(node).quirks, quirks).extended_speeds;
  const bool changes_speeds = (before == ExtendedSpeeds::kUnsupported) !=
                              (quirks.extended_speeds == ExtendedSpeeds::kUnsupported);
  if (!changes_speeds || !model_.node(node).alive) return;
  switch_off(node);
  model_.power_up(node);
  links_.bring_up(node);
  announce_managers(node);
}

void Network::vport_state_changed(PortId port) {
  model_.port(port).virtual_ports->info.state_change = true;
  traps_.vport_state_changed(port);
}

std::optional<std::uint16_t> Network::add_vport(PortId port, const VirtualIdentity& identity) {
  const auto& vports = model_.port(port).virtual_ports;
  const auto index = vports ? vports->add(identity, options_) : std::nullopt;
  if (index) vport_state_changed(port);
  return index;
}

bool Network::remove_vport(PortId port, std::uint16_t index) {
  const auto& vports = model_.port(port).virtual_ports;
  if (!vports || !vports->remove(index)) return false;
  vport_state_changed(port);
  return true;
}

std::optional<std::uint16_t> Network::move_vport(PortId from, std::uint16_t index, PortId to) {
  const auto& vports = model_.port(from).virtual_ports;
  if (!vports || !vports->is_up(index) || from == to) return std::nullopt;
  const VirtualIdentity identity = vports->identity(index);
  const auto moved = add_vport(to, identity);
  if (moved) remove_vport(from, index);
  return moved;
}

void Network::set_vnode_description(PortId port, std::uint16_t index, const std::string& text) {
  const auto& vports = model_.port(port).virtual_ports;
  if (!vports || !vports->is_up(index)) return;
  vports->vports[index].description = text;
  traps_.vport_changed(port, index, TrapVportChange::kNodeDescription);
}

void Network::set_description(NodeId node, const std::string& text) {
  model_.node(node).description = text;
  if (model_.node(node).quirks.no_change_traps) return;
  if (model_.fabric().is_switch(node)) {
    traps_.local_change(model_.port_id(node, PortNum(0)), true, TrapCapability::kNodeDescription);
    return;
  }
  for (unsigned num = 1; num <= model_.node(node).port_count; ++num)
    traps_.local_change(model_.port_id(node, PortNum(static_cast<std::uint8_t>(num))), true,
                        TrapCapability::kNodeDescription);
}

}  // namespace weft::emulator
