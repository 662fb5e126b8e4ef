// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/managed_subnet.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "emulator/snapshot.h"

namespace weft {

ManagedSubnet::ManagedSubnet(Fabric fabric, const EmulatorOptions& emulator)
    : fabric_(std::move(fabric)),
      emulated_(fabric_, emulator),
      manager_endport_(fabric_.endport_count() > fabric_.switch_count() ? fabric_.switch_count()
                                                                        : 0) {
  spdlog::set_level(std::getenv("WEFT_TEST_LOG") ? spdlog::level::debug : spdlog::level::off);
  options.cache_dir = cache_.path();
  options.routing_engine = {{"updn"}, false};
  options.rebalance = true;  // the routes do not depend on earlier routes
}

SubnetManager& ManagedSubnet::start() {
  end_manager();
  SmpTransport& wire = uses_all_ports_ ? emulated_.attach_to_all_ports(manager_endport_)
                                       : emulated_.attach(manager_endport_);
  sm_ = std::make_unique<SubnetManager>(between ? between(wire) : wire, emulated_.clock(), options);
  return *sm_;
}

void ManagedSubnet::end_manager() {
  if (!sm_) return;
  sm_.reset();
  emulated_.detach(manager_endport_);
}

bool ManagedSubnet::settle(TimeNs limit) {
  const TimeNs end = emulated_.clock().now() + limit;
  while (!sm_->settled()) {
    if (emulated_.clock().now() > end) return false;
    sm_->step();
  }
  return true;
}

void ManagedSubnet::run_for(TimeNs span) {
  const TimeNs end = emulated_.clock().now() + span;
  while (emulated_.clock().now() < end) sm_->step(end);
}

void ManagedSubnet::use_all_ports() {
  uses_all_ports_ = true;
  for (const Port& port : fabric_.ports(manager_node()).subspan(1))
    if (port.num != fabric_.port(fabric_.endport(manager_endport_).port).num)
      options.more_own_ports.push_back(port.num);
}

void ManagedSubnet::attach_at(EndportId endport) {
  end_manager();
  manager_endport_ = endport;
}

std::uint64_t ManagedSubnet::sets(AttributeId attribute) const {
  return emulated_.counters().requests(Method::kSet, attribute);
}

PortId ManagedSubnet::cable_between(SwitchId a, SwitchId b, unsigned nth) const {
  for (const Channel& channel : fabric_.channels_from(a))
    if (channel.to == b && nth-- == 0)
      return fabric_.port_id(Fabric::node_of(a), channel.from_port);
  return kNoPort;
}

void expect_lanes(ManagedSubnet& managed) {
  const auto snapshot = managed.sm().snapshot();
  ASSERT_NE(snapshot, nullptr);
  if (!snapshot->lanes.is_set()) return;
  const Fabric& known = snapshot->fabric;
  for (std::uint32_t n = 0; n < known.node_count(); ++n) {
    const NodeId node(n);
    const auto real = managed.fabric().find_node(known.node(node).node_guid);
    ASSERT_TRUE(real.has_value());
    for (const Port& out : known.ports(node)) {
      const PortArbitration* wanted = snapshot->lanes.arbitration(known.port_id(node, out.num));
      if (wanted == nullptr) continue;
      const PortId id = managed.fabric().port_id(*real, out.num);
      for (unsigned block = 1; block <= 4; ++block) {
        const auto which = static_cast<modifier::VlArbBlock>(block);
        if (const auto table = block_of(*wanted, which)) {
          EXPECT_EQ(managed.emulated().vl_arb(id, which), *table) << describe(known.node(node));
        }
      }
      if (!managed.options.qos.enabled) {
        EXPECT_GE(vls_served(*wanted), snapshot->routes.vls);
      }
      if (out.num == PortNum(0)) continue;
      EXPECT_EQ(managed.emulated().port_info(id).vl_high_limit, wanted->high_limit);
      EXPECT_GE(data_vls_of_code(managed.emulated().port_info(id).operational_vls),
                snapshot->routes.vls);
      const auto inputs =
          known.ports(node).first(known.is_switch(node) ? known.ports(node).size() : 1);
      for (const Port& in : inputs) {
        const SlMap* end_map = snapshot->lanes.end_map(known.port_id(node, out.num));
        const SlMap& map = known.is_switch(node)
                               ? snapshot->routes.sl2vl.map(SwitchId(n), in.num, out.num)
                           : end_map != nullptr ? *end_map
                                                : snapshot->routes.sl2vl.common();
        const SlToVlTable held = managed.emulated().sl_to_vl(*real, in.num, out.num);
        for (unsigned sl = 0; sl < kSlCount; ++sl)
          ASSERT_EQ(held.vls[sl].value(), map[sl]) << describe(known.node(node));
      }
    }
  }
}

void expect_managed(ManagedSubnet& managed) {
  const auto snapshot = managed.sm().snapshot();
  ASSERT_NE(snapshot, nullptr);
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  const auto held_fabric = read_fabric(managed.emulated());
  ASSERT_TRUE(held_fabric) << held_fabric.error().message;
  const Routes held = read_routes(managed.emulated());
  const Fabric& known = snapshot->fabric;
  for (std::uint32_t n = 0; n < known.node_count(); ++n) {
    const auto real = managed.fabric().find_node(known.node(NodeId(n)).node_guid);
    ASSERT_TRUE(real.has_value());
    for (const Port& port : known.ports(NodeId(n))) {
      const PortId id = managed.fabric().port_id(*real, port.num);
      const bool addressed = known.endport_at(known.port_id(NodeId(n), port.num)) != kNoEndport;
      if (addressed) {
        EXPECT_EQ(managed.emulated().port_info(id).lid, port.lid) << describe(*held_fabric, id);
        if (managed.options.more_own_ports.empty()) {
          EXPECT_EQ(managed.emulated().port_info(id).master_sm_lid, snapshot->sm_lid());
        }
      }
      if (port.peer != kNoPort) {
        EXPECT_TRUE(managed.emulated().carries_data(id)) << describe(*held_fabric, id);
      }
    }
    if (!known.is_switch(NodeId(n))) continue;
    const SwitchId known_switch(n), real_switch(real->value());
    for (unsigned lid = 1; lid <= snapshot->routes.lfts.top().value(); ++lid) {
      const Lid l(static_cast<std::uint16_t>(lid));
      ASSERT_EQ(held.lfts.port(real_switch, l), snapshot->routes.lfts.port(known_switch, l))
          << describe(known.node(NodeId(n))) << " LID " << lid;
    }
  }
  expect_lanes(managed);
  EXPECT_TRUE(verify(known, snapshot->routes).ok());
}

}  // namespace weft
