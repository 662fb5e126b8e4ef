// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/walk.h"

namespace weft::emulator {
namespace {

class Walker {
 public:
  Walker(const Model& model, Smp& smp, Place from, const PacketFlow& flow,
         PortState least = PortState::kInit)
      : model_(model),
        smp_(smp),
        at_(from),
        flow_(flow),
        least_(least),
        options_(model.options()) {}

  Walk run() {
    const NodeModel& node = model_.node(at_.node);
    if (!node.alive) return drop(Drop::kDeadNode);
    first_port_ = node.first_port;
    port_count_ = node.port_count;
    is_switch_ = node.is_switch;
    bool arrived = false;
    if (smp_.mgmt_class == MgmtClass::kSmpLidRouted)
      arrived = by_lid(smp_.dlid);
    else if (smp_.mgmt_class == MgmtClass::kSmpDirected)
      arrived = smp_.returning ? back() : out();
    else
      why_ = Drop::kMalformed;
    if (!arrived) return drop(why_);
    return {std::nullopt, at_, hops_};
  }

 private:
  Walk drop(Drop why) const { return {why, at_, hops_}; }
  bool fail(Drop why) {
    why_ = why;
    return false;
  }
  bool at_switch() const { return is_switch_; }

  /// Moves over the link of the port. Returns false if the link is down or there is no such port.
  bool cross(PortNum port) {
    if (port == PortNum(0) || port.value() > port_count_) return fail(Drop::kPortDown);
    const Wire& wire = model_.wire(PortId(first_port_ + port.value()));
    if (wire.state < least_) return fail(Drop::kPortDown);
    at_ = {wire.peer_node, wire.peer_num};
    first_port_ = wire.peer_first_port;
    port_count_ = wire.peer_port_count;
    is_switch_ = wire.is_peer_switch;
    ++hops_;
    return true;
  }

  /// Moves from the current node to the port with the LID. Returns false if the packet is dropped.
  /// A packet is received by a switch if the table of the switch has port 0 for the LID.
  bool by_lid(Lid lid) {
    if (!is_unicast(lid)) return fail(Drop::kUnrouted);
    if (hops_ == 0 && model_.has_lid(model_.agent_port(at_.node, at_.port), lid)) return true;
    if (!at_switch() && !cross(at_.port)) return false;
    for (unsigned hop = 0; hop < options_.hops_max; ++hop) {
      const NodeModel& node = model_.node(at_.node);
      if (!node.is_switch) break;
      const PortNum port = model_.choose(node, at_.port, flow_, lid, least_);
      if (port == PortNum(255)) return fail(Drop::kUnrouted);
      if (port == PortNum(0)) {
        if (!model_.has_lid(PortId(node.first_port), lid)) return fail(Drop::kWrongLid);
        return true;
      }
      if (!cross(port)) return false;
    }
    if (at_switch()) return fail(Drop::kLooped);
    return model_.has_lid(model_.port_id(at_.node, at_.port), lid) || fail(Drop::kWrongLid);
  }

  /// Whether the SMP may leave the current node by the port. Only switches forward SMPs; a CA sends
  /// an SMP only by the port at which the walk starts.
  bool may_leave_by(PortNum port, bool first) {
    if (at_switch()) return true;
    if (!first) return fail(Drop::kNotASwitch);
    return port == at_.port || fail(Drop::kPortDown);
  }

  bool out() {
    if (smp_.hop_count > kHopsMax || smp_.hop_pointer != 0) return fail(Drop::kMalformed);
    if (smp_.dr_slid != kLidPermissive && !by_lid(smp_.dlid)) return false;
    while (smp_.hop_pointer < smp_.hop_count) {
      const PortNum port(smp_.initial_path[smp_.hop_pointer + 1u]);
      if (!may_leave_by(port, smp_.hop_pointer == 0)) return false;
      if (!cross(port)) return false;
      ++smp_.hop_pointer;
      smp_.return_path[smp_.hop_pointer] = at_.port.value();
    }
    ++smp_.hop_pointer;
    if (smp_.dr_dlid == kLidPermissive) return true;
    // The switch at which the directed part ends forwards by LID and receives the response.
    if (at_switch()) smp_.slid = model_.port(PortId(model_.node(at_.node).first_port)).info.lid;
    return by_lid(smp_.dr_dlid);
  }

  bool back() {
    if (smp_.hop_count > kHopsMax || smp_.hop_pointer != smp_.hop_count + 1)
      return fail(Drop::kMalformed);
    bool first = true;
    if (smp_.dr_dlid != kLidPermissive) {
      if (!by_lid(smp_.dlid)) return false;
      first = false;
    }
    while (smp_.hop_pointer > 1) {
      --smp_.hop_pointer;
      const PortNum port(smp_.return_path[smp_.hop_pointer]);
      if (!may_leave_by(port, first)) return false;
      first = false;
      if (!cross(port)) return false;
    }
    smp_.hop_pointer = 0;
    return smp_.dr_slid == kLidPermissive || by_lid(smp_.dr_slid);
  }

  const Model& model_;
  Smp& smp_;
  Place at_;
  const PacketFlow flow_;
  // Properties of the current node. They are copied from the wire, because a read of the NodeModel
  // would need one more memory access.
  std::uint32_t first_port_ = 0;
  std::uint8_t port_count_ = 0;
  bool is_switch_ = false;
  const PortState least_;  // minimum state of links that forward the packet
  const EmulatorOptions& options_;
  unsigned hops_ = 0;
  Drop why_ = Drop::kMalformed;
};

}  // namespace

PacketFlow datagram_flow(Lid from, Lid to, Sl sl) {
  return {sl, Transport::kUd, std::uint32_t{from.value()} << 16 | to.value()};
}

Walk walk(const Model& model, Smp& smp, Place from) {
  return Walker(model, smp, from, datagram_flow(smp.slid, smp.dlid, Sl(0))).run();
}

Walk walk_data(const Model& model, Lid to, Place from, const PacketFlow& flow) {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.dlid = to;
  return Walker(model, smp, from, flow, PortState::kActive).run();
}

}  // namespace weft::emulator
