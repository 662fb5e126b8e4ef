// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/performance_subnet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weft {

PerformanceSubnet::PerformanceSubnet(Fabric fabric) : managed(std::move(fabric)) {
  options.perfmgr = true;
  options.sweep_time = std::chrono::seconds(10);
}

PerformanceSubnet::~PerformanceSubnet() {
  if (manager) managed.emulated().detach_gmps(manager_endport_, MgmtClass::kPerf);
}

void PerformanceSubnet::start() {
  managed.start();
  ASSERT_TRUE(managed.settle());
  const Snapshot& snapshot = *managed.sm().snapshot();
  manager_endport_ = *managed.fabric().find_endport(
      snapshot.fabric.port(snapshot.fabric.endport(snapshot.sm).port).guid);
  begin();
}

void PerformanceSubnet::begin() {
  if (manager) managed.emulated().detach_gmps(manager_endport_, MgmtClass::kPerf);
  GmpTransport& wire =
      managed.emulated().attach_gmps(manager_endport_, MgmtClass::kPerf, managed.uses_all_ports());
  wire_ = &wire;
  manager = std::make_unique<PerformanceManager>(wire, managed.emulated().clock(), options,
                                                 [this] { return time; });
  manager->publish(managed.sm().snapshot());
}

void PerformanceSubnet::sweep(std::uint64_t count) {
  const std::uint64_t wanted = manager->counts().sweeps + count;
  const TimeNs end = managed.emulated().clock().now() + std::chrono::minutes(10);
  while (manager->counts().sweeps < wanted && managed.emulated().clock().now() < end) {
    manager->step();
    outstanding_max = std::max(outstanding_max, manager->outstanding());
    wire_->wait_until(manager->next_event());
  }
  ASSERT_EQ(manager->counts().sweeps, wanted);
}

PortId PerformanceSubnet::port(const std::string& node, unsigned num) const {
  const Fabric& fabric = managed.fabric();
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i)
    if (fabric.node(NodeId(i)).description == node)
      return fabric.port_id(NodeId(i), PortNum(static_cast<std::uint8_t>(num)));
  CHECK(false);
  return kNoPort;
}

Guid PerformanceSubnet::guid(PortId port) const {
  return managed.fabric().node(managed.fabric().port(port).node).node_guid;
}

const PortTally* PerformanceSubnet::tally(PortId port) const {
  const auto node = manager->store().nodes().find(guid(port));
  if (node == manager->store().nodes().end()) return nullptr;
  const auto found = node->second.ports.find(managed.fabric().port(port).num);
  return found == node->second.ports.end() ? nullptr : &found->second;
}

std::uint64_t PerformanceSubnet::total(PortId port, Counter counter) const {
  const PortTally* found = tally(port);
  return found == nullptr ? UINT64_MAX : found->total[index(counter)];
}

}  // namespace weft
