// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/gmps.h"

#include <algorithm>

#include "emulator/network.h"

namespace weft::emulator {
namespace {

constexpr std::size_t kInboxMax = 1 << 16;

}  // namespace

Status GmpStation::send(const Gmp& gmp) {
  network_.send(gmp, *this);
  return {};
}
std::optional<Gmp> GmpStation::receive() {
  if (inbox_.empty()) return std::nullopt;
  const Gmp gmp = inbox_.front();
  inbox_.pop_front();
  return gmp;
}
void GmpStation::wait_until(TimeNs deadline) { network_.wait(*this, deadline); }

GmpStation& Gmps::attach(Network& network, EndportId where, MgmtClass mgmt_class,
                         bool by_all_ports) {
  const Port& port = model_.fabric().port(model_.fabric().endport(where).port);
  const auto [at, is_new] =
      stations_.emplace(std::tuple(port.node, port.num, mgmt_class),
                        std::make_unique<GmpStation>(network, where, mgmt_class,
                                                     Place{port.node, port.num}, by_all_ports));
  CHECK(is_new);
  return *at->second;
}

void Gmps::detach(EndportId where, MgmtClass mgmt_class) {
  const Port& port = model_.fabric().port(model_.fabric().endport(where).port);
  CHECK(stations_.erase({port.node, port.num, mgmt_class}) == 1);
}

void Gmps::send(const Gmp& gmp, const GmpStation& from, const FaultRates& faults, Rng& rng) {
  ++counters_.gmps_sent;
  Place place = from.place_;
  if (from.by_all_ports_ && gmp.peer.port != 0) place.port = PortNum(gmp.peer.port);
  const PortInfo& own = model_.port(model_.agent_port(place.node, place.port)).info;
  Packet packet{gmp, gmp.peer.lid, place};
  const unsigned bits = gmp.peer.path_bits & ((1u << own.lmc) - 1);
  packet.gmp.peer.lid = Lid(static_cast<std::uint16_t>(own.lid.value() | bits));
  packet.gmp.peer.path_bits = 0;
  packet.gmp.peer.port = 0;
  packet.gmp.peer.qpn = kGsiQpn;
  TimeNs time = clock_.now();
  if (faults.lost > 0 && rng.chance(faults.lost)) {
    ++counters_.dropped[static_cast<std::size_t>(Drop::kFault)];
    return;
  }
  if (faults.doubled > 0 && rng.chance(faults.doubled)) {
    ++counters_.doubled;
    launch(packet, time);
  }
  if (faults.late > 0 && rng.chance(faults.late)) {
    ++counters_.late;
    const auto late_by_max = std::max(faults.late_by_max, TimeNs{1}).count();
    time += TimeNs{static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(late_by_max)))};
  }
  launch(packet, time);
}

Walk Gmps::walk_of(const Packet& packet) const {
  const GmpAddress& peer = packet.gmp.peer;
  return walk_data(model_, packet.dlid, packet.from, datagram_flow(peer.lid, packet.dlid, peer.sl));
}

void Gmps::launch(const Packet& packet, TimeNs time) {
  const Walk path = walk_of(packet);
  if (path.drop) {
    ++counters_.dropped[static_cast<std::size_t>(*path.drop)];
    return;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  packets_[slot] = packet;
  events_.push(time + model_.options().hop_latency * path.hops, EventKind::kGmpArrival, slot);
}

/// Checks the path when the packet arrives: the fabric may have changed while it was in flight.
void Gmps::arrive(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  free_.push_back(slot);
  const auto drop = [&](Drop why) { ++counters_.dropped[static_cast<std::size_t>(why)]; };
  const Walk path = walk_of(packet);
  if (path.drop) return drop(Drop::kPathBroken);
  GmpStation* const station = station_at(path.end, packet.gmp.mgmt_class);
  if (!is_response(packet.gmp.method) &&
      (PerformanceAgents::serves(packet.gmp) || CongestionAgents::serves(packet.gmp) ||
       class_keys_.serves(packet.gmp))) {
    if (!answer(Packet(packet), path.end)) drop(Drop::kNoReceiver);
    return;
  }
  if (station == nullptr || station->inbox_.size() >= kInboxMax) return drop(Drop::kNoReceiver);
  const PortInfo& own = model_.port(model_.agent_port(path.end.node, path.end.port)).info;
  packet.gmp.peer.path_bits =
      static_cast<std::uint8_t>(packet.dlid.value() & ((1u << own.lmc) - 1));
  if (station->by_all_ports_) packet.gmp.peer.port = path.end.port.value();
  ++counters_.gmps_delivered;
  arrived_ = true;
  station->inbox_.push_back(packet.gmp);
}

GmpStation* Gmps::station_at(Place place, MgmtClass mgmt_class) {
  const PortNum port = model_.node(place.node).is_switch ? PortNum(0) : place.port;
  if (const auto found = stations_.find({place.node, port, mgmt_class}); found != stations_.end())
    return found->second.get();
  for (auto at = stations_.lower_bound({place.node, PortNum(0), MgmtClass{}});
       at != stations_.end() && std::get<0>(at->first) == place.node; ++at)
    if (at->second->by_all_ports_ && at->second->mgmt_class_ == mgmt_class) return at->second.get();
  return nullptr;
}

bool Gmps::answer_by_class(Gmp& gmp, Place at) {
  if (PerformanceAgents::serves(gmp)) return performance_.answer(gmp, at);
  if (const auto keyed = class_keys_.serves(gmp)) return class_keys_.answer(*keyed, gmp, at);
  return !class_keys_.rejects(KeyedClass::kCongestion, gmp, at) && congestion_.answer(gmp, at);
}

bool Gmps::answer(const Packet& packet, Place at) {
  Packet back{packet.gmp, packet.gmp.peer.lid, at};
  if (!answer_by_class(back.gmp, at)) return false;
  back.gmp.peer.lid = packet.dlid;
  TimeNs time = clock_.now() + model_.options().sma_time;
  if (model_.options().gma_time > TimeNs{0}) {
    NodeModel& node = model_.node(at.node);
    time = node.busy_until = std::max(clock_.now(), node.busy_until) + model_.options().gma_time;
  }
  launch(back, time);
  return true;
}

}  // namespace weft::emulator
