// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/emulated_fabric.h"

#include "emulator/agent/extended_port_info.h"
#include "emulator/network.h"

namespace weft {

class EmulatedFabric::Impl : public emulator::Network {
 public:
  using Network::Network;
};

EmulatedFabric::EmulatedFabric(const Fabric& fabric, const EmulatorOptions& options)
    : impl_(std::make_unique<Impl>(*this, fabric, options)) {}
EmulatedFabric::~EmulatedFabric() = default;

SmpTransport& EmulatedFabric::attach(EndportId where, bool is_sm) {
  return impl_->attach(where, {.is_sm = is_sm});
}
SmpTransport& EmulatedFabric::attach_to_all_ports(EndportId where) {
  return impl_->attach(where, {.by_all_ports = true});
}
void EmulatedFabric::detach(EndportId where) { impl_->detach(where); }

GmpTransport& EmulatedFabric::attach_gmps(EndportId where, MgmtClass mgmt_class,
                                          bool by_all_ports) {
  return impl_->gmps().attach(*impl_, where, mgmt_class, by_all_ports);
}
void EmulatedFabric::detach_gmps(EndportId where, MgmtClass mgmt_class) {
  impl_->gmps().detach(where, mgmt_class);
}

const Fabric& EmulatedFabric::fabric() const { return impl_->model().fabric(); }
VirtualClock& EmulatedFabric::clock() { return impl_->clock(); }
void EmulatedFabric::run_until(TimeNs time) { impl_->run_until(time); }
void EmulatedFabric::run_for(TimeNs span) { impl_->run_until(impl_->clock().now() + span); }
std::size_t EmulatedFabric::pending_events() const { return impl_->pending_events(); }
std::size_t EmulatedFabric::pending_notifications() const {
  return impl_->notifications().in_flight();
}

void EmulatedFabric::schedule(TimeNs time, Action action) {
  impl_->schedule(time, std::move(action));
}
void EmulatedFabric::cut_cable(PortId port) { impl_->links().cut(port); }
void EmulatedFabric::restore_cable(PortId port) { impl_->links().restore(port); }
bool EmulatedFabric::is_cut(PortId port) const { return impl_->model().port(port).cut; }
PortId EmulatedFabric::cable_end(PortId port) const { return impl_->model().wire(port).peer; }
void EmulatedFabric::switch_off_node(NodeId node) { impl_->switch_off(node); }
void EmulatedFabric::switch_on_node(NodeId node) { impl_->switch_on(node); }
void EmulatedFabric::set_description(NodeId node, const std::string& text) {
  impl_->set_description(node, text);
}
void EmulatedFabric::set_capability_mask(PortId port, std::uint32_t mask) {
  impl_->set_capability_mask(port, mask);
}
void EmulatedFabric::set_unhealthy_reason(PortId port, UnhealthyReason reason) {
  emulator::set_unhealthy_reason(impl_->model(), port, reason);
}
void EmulatedFabric::set_port_recovered(PortId port) {
  emulator::set_port_recovered(impl_->model(), port);
}
const std::string& EmulatedFabric::description(NodeId node) const {
  return impl_->model().node(node).description;
}
void EmulatedFabric::set_behavior(NodeId node, const DeviceBehavior& quirks) {
  impl_->set_behavior(node, quirks);
}
std::optional<std::uint16_t> EmulatedFabric::add_vport(PortId port,
                                                       const emulator::VirtualIdentity& identity) {
  return impl_->add_vport(port, identity);
}
bool EmulatedFabric::remove_vport(PortId port, std::uint16_t index) {
  return impl_->remove_vport(port, index);
}
std::optional<std::uint16_t> EmulatedFabric::move_vport(PortId from, std::uint16_t index,
                                                        PortId to) {
  return impl_->move_vport(from, index, to);
}
void EmulatedFabric::set_vnode_description(PortId port, std::uint16_t index,
                                           const std::string& text) {
  impl_->set_vnode_description(port, index, text);
}
const emulator::VirtualPorts* EmulatedFabric::virtual_ports(PortId port) const {
  return impl_->model().port(port).virtual_ports.get();
}
void EmulatedFabric::set_faults(const FaultRates& rates) { impl_->faults() = rates; }
void EmulatedFabric::set_filter(Filter filter) { impl_->set_filter(std::move(filter)); }

PerformanceAgent& EmulatedFabric::performance_agent(PortId port) {
  return impl_->gmps().performance().agent(port);
}
CounterValues& EmulatedFabric::port_counters(PortId port) {
  return impl_->gmps().performance().counters(port);
}

ClassKeyAgent& EmulatedFabric::class_key_agent(KeyedClass keyed, PortId port) {
  return impl_->gmps().class_keys().agent(keyed, port);
}
CongestionAgent& EmulatedFabric::congestion_agent(PortId port) {
  return impl_->gmps().congestion().agent(port);
}

const EmulatorCounters& EmulatedFabric::counters() const { return impl_->counters(); }
void EmulatedFabric::reset_counters() { impl_->counters() = {}; }

bool EmulatedFabric::is_alive(NodeId node) const { return impl_->model().node(node).alive; }
std::span<const std::uint8_t> EmulatedFabric::lft(SwitchId sw) const {
  return impl_->model().node(Fabric::node_of(sw)).lft;
}
const SwitchInfo& EmulatedFabric::switch_info(SwitchId sw) const {
  return impl_->model().node(Fabric::node_of(sw)).switch_info;
}
const emulator::AdaptiveModel& EmulatedFabric::adaptive(SwitchId sw) const {
  return impl_->model().node(Fabric::node_of(sw)).adaptive;
}
const std::vector<SmpData>& EmulatedFabric::recovery_settings(SwitchId sw) const {
  return impl_->model().node(Fabric::node_of(sw)).recovery;
}
SmpData EmulatedFabric::extended_port_info(PortId port) const {
  return emulator::extended_port_info(impl_->model(), fabric().port(port).node, port);
}
const SmpData& EmulatedFabric::sharp_port(SwitchId sw) const {
  return impl_->model().node(Fabric::node_of(sw)).sharp_port;
}
std::bitset<256> EmulatedFabric::live_choices(SwitchId sw, Lid lid, unsigned table) const {
  const emulator::Model& model = impl_->model();
  return model.live_choices(model.node(Fabric::node_of(sw)), table, lid, PortState::kActive);
}
const PortInfo& EmulatedFabric::port_info(PortId port) const {
  return impl_->model().port(port).info;
}

bool EmulatedFabric::carries_data(PortId port) const {
  const emulator::Wire& wire = impl_->model().wire(port);
  return wire.state == PortState::kActive && wire.peer != kNoPort &&
         impl_->model().wire(wire.peer).state == PortState::kActive;
}

std::vector<LidRange> EmulatedFabric::lids() const {
  std::vector<LidRange> ranges;
  ranges.reserve(fabric().endport_count());
  for (const Endport& endport : fabric().endports()) {
    const PortInfo& info = port_info(endport.port);
    ranges.push_back({info.lid, info.lmc});
  }
  return ranges;
}

PkeyTable EmulatedFabric::pkeys(PortId port, std::size_t block) const {
  if (block >= impl_->model().pkey_blocks(port)) return {};
  return *decode_pkey_table(impl_->model().pkey_block(port, block));
}

GuidInfo EmulatedFabric::guids(PortId port, std::size_t block) const {
  if (block * GuidInfo::kEntries >= port_info(port).guid_cap) return {};
  return *decode_guid_info(impl_->model().guid_block(port, block));
}

SlToVlTable EmulatedFabric::sl_to_vl(NodeId node, PortNum in, PortNum out) const {
  const std::uint64_t bits = impl_->model().sl2vl(node, in, out);
  SlToVlTable table;
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    table.vls[sl] = Vl(static_cast<std::uint8_t>(bits >> (60 - 4 * sl) & 15));
  return table;
}

bool EmulatedFabric::sl_to_vl_written(NodeId node) const {
  return !impl_->model().node(node).sl2vl.empty();
}

VlArbTable EmulatedFabric::vl_arb(PortId port, modifier::VlArbBlock block) const {
  return *decode_vl_arb_table(impl_->model().vl_arb_block(port, block));
}

bool EmulatedFabric::multicast_written(SwitchId sw) const {
  return !impl_->model().node(Fabric::node_of(sw)).mft.empty();
}

std::vector<PortNum> EmulatedFabric::multicast_ports(SwitchId sw, Lid lid) const {
  const auto& model = impl_->model();
  const auto& node = model.node(Fabric::node_of(sw));
  const unsigned index = lid.value() - kLidMulticastFirst.value();
  std::vector<PortNum> ports;
  if (!is_multicast(lid) || index >= node.switch_info.multicast_fdb_cap) return ports;
  for (unsigned port = 0; port <= node.port_count; ++port)
    if ((model.mft(node, index, port / 16) >> port % 16 & 1) != 0)
      ports.push_back(PortNum(static_cast<std::uint8_t>(port)));
  return ports;
}

std::uint32_t EmulatedFabric::reregistrations(PortId port) const {
  return impl_->model().port(port).reregistrations;
}

}  // namespace weft
