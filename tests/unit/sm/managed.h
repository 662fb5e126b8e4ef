// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A subnet manager on an emulated fabric, and the checks once it reports the subnet up.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "emulator/emulated_fabric.h"
#include "emulator/snapshot.h"
#include "fabric/generators/spec.h"
#include "sm/subnet_manager.h"
#include "support/generated.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {

inline constexpr TimeNs kSecond = std::chrono::seconds(1);

class Managed {
 public:
  /// The manager sits on the first CA port, or on the first switch where there is no CA. Its files
  /// are in its own folder, which is removed with this.
  explicit Managed(Fabric fabric, const EmulatorOptions& emulator = {})
      : fabric_(std::move(fabric)),
        emulated_(fabric_, emulator),
        seat_(fabric_.endport_count() > fabric_.switch_count() ? fabric_.switch_count() : 0) {
    spdlog::set_level(std::getenv("WEFT_TEST_LOG") ? spdlog::level::debug : spdlog::level::off);
    options.cache_dir = cache_.path();
    options.routing_engine = {{"updn"}, false};
    options.rebalance = true;  // the state of a fabric is independent of its history
  }
  ~Managed() { leave(); }

  /// Starts a new manager on the port; a previous one ends as if killed.
  SubnetManager& start() {
    leave();
    SmpTransport& wire = emulated_.attach(seat_);
    sm_ =
        std::make_unique<SubnetManager>(between ? between(wire) : wire, emulated_.clock(), options);
    return *sm_;
  }
  void leave() {
    if (!sm_) return;
    sm_.reset();
    emulated_.detach(seat_);
  }

  /// Steps until the manager is settled; false if virtual time passes `limit` before.
  bool settle(TimeNs limit = std::chrono::minutes(5)) {
    const TimeNs end = emulated_.clock().now() + limit;
    while (!sm_->settled()) {
      if (emulated_.clock().now() > end) return false;
      sm_->step();
    }
    return true;
  }
  /// Steps for a span of virtual time.
  void run_for(TimeNs span) {
    const TimeNs end = emulated_.clock().now() + span;
    while (emulated_.clock().now() < end) sm_->step(end);
  }
  void sit_on(EndportId endport) {
    leave();
    seat_ = endport;
  }

  EndportId seat() const { return seat_; }
  NodeId seat_node() const { return fabric_.endport(seat_).node; }
  const Fabric& fabric() const { return fabric_; }
  EmulatedFabric& emulated() { return emulated_; }
  SubnetManager& sm() { return *sm_; }
  const SweepReport& report() const { return sm_->last_report(); }
  /// The fabric as the manager published it.
  const Fabric& known() const { return sm_->snapshot()->fabric; }
  const TempDir& cache() const { return cache_; }
  std::uint64_t sets(AttributeId attribute) const {
    return emulated_.counters().requests(Method::kSet, attribute);
  }

  /// The port on this side of the n-th cable between two switches, in the order of ports.
  PortId cable_between(SwitchId a, SwitchId b, unsigned nth = 0) const {
    for (const Channel& channel : fabric_.channels_from(a))
      if (channel.to == b && nth-- == 0)
        return fabric_.port_id(Fabric::node_of(a), channel.from_port);
    return kNoPort;
  }

  SmOptions options;
  /// Filter between the manager and the fabric; may be empty.
  std::function<SmpTransport&(SmpTransport&)> between;

 private:
  TempDir cache_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  EndportId seat_;
  std::unique_ptr<SubnetManager> sm_;
};

/// SL2VL and VL arbitration of every port are what the manager planned and published.
inline void expect_lanes(Managed& managed) {
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
        const SlMap* own = snapshot->lanes.end_map(known.port_id(node, out.num));
        const SlMap& map = known.is_switch(node)
                               ? snapshot->routes.sl2vl.map(SwitchId(n), in.num, out.num)
                           : own != nullptr ? *own
                                            : snapshot->routes.sl2vl.common();
        const SlToVlTable held = managed.emulated().sl_to_vl(*real, in.num, out.num);
        for (unsigned sl = 0; sl < kSlCount; ++sl)
          ASSERT_EQ(held.vls[sl].value(), map[sl]) << describe(known.node(node));
      }
    }
  }
}

/// The fabric holds the published tables, they pass the verifier, and all connected cables carry
/// data.
inline void expect_managed(Managed& managed) {
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
        EXPECT_EQ(managed.emulated().port_info(id).master_sm_lid, snapshot->sm_lid());
      }
      if (port.peer != kNoPort) {
        EXPECT_TRUE(managed.emulated().carries_data(id)) << describe(*held_fabric, id);
      }
    }
    if (!known.is_switch(NodeId(n))) continue;
    const SwitchId here(n), there(real->value());
    for (unsigned lid = 1; lid <= snapshot->routes.lfts.top().value(); ++lid) {
      const Lid l(static_cast<std::uint16_t>(lid));
      ASSERT_EQ(held.lfts.port(there, l), snapshot->routes.lfts.port(here, l))
          << describe(known.node(NodeId(n))) << " LID " << lid;
    }
  }
  expect_lanes(managed);
  EXPECT_TRUE(verify(known, snapshot->routes).ok());
}

}  // namespace weft
