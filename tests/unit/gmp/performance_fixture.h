// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A managed subnet on the emulator with a performance manager beside its subnet manager.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/sinks/sink.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../sm/managed.h"
#include "gmp/performance_manager.h"

namespace weft {

/// Captures log lines during its lifetime.
class LogLines {
 public:
  LogLines() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<Sink>(lines_);
    auto logger = std::make_shared<spdlog::logger>("test", sink);
    logger->set_level(spdlog::level::debug);
    spdlog::set_default_logger(logger);
  }
  ~LogLines() { spdlog::set_default_logger(before_); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::size_t count(const std::string& text) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines_, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

 private:
  class Sink final : public spdlog::sinks::sink {
   public:
    explicit Sink(std::vector<std::string>& lines) : lines_(lines) {}
    void log(const spdlog::details::log_msg& msg) override {
      lines_.emplace_back(msg.payload.begin(), msg.payload.end());
    }
    void flush() override {}
    void set_pattern(const std::string&) override {}
    void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

   private:
    std::vector<std::string>& lines_;
  };
  std::vector<std::string> lines_;
  std::shared_ptr<spdlog::logger> before_;
};

class PerformanceFixture {
 public:
  explicit PerformanceFixture(Fabric fabric) : managed(std::move(fabric)) {
    options.perfmgr = true;
    options.sweep_time = std::chrono::seconds(10);
  }
  ~PerformanceFixture() {
    if (manager) managed.emulated().detach_gmps(seat_, MgmtClass::kPerf);
  }

  /// Brings the subnet up and starts the performance manager.
  void start() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    const Snapshot& snapshot = *managed.sm().snapshot();
    seat_ = *managed.fabric().find_endport(
        snapshot.fabric.port(snapshot.fabric.endport(snapshot.sm).port).guid);
    begin();
  }
  /// A new performance manager, as after a restart.
  void begin() {
    if (manager) managed.emulated().detach_gmps(seat_, MgmtClass::kPerf);
    GmpTransport& wire = managed.emulated().attach_gmps(seat_, MgmtClass::kPerf);
    wire_ = &wire;
    manager = std::make_unique<PerformanceManager>(wire, managed.emulated().clock(), options,
                                                   [this] { return time; });
    manager->publish(managed.sm().snapshot());
  }
  /// Runs until `count` more sweeps are complete.
  void sweep(std::uint64_t count = 1) {
    const std::uint64_t wanted = manager->counts().sweeps + count;
    const TimeNs end = managed.emulated().clock().now() + std::chrono::minutes(10);
    while (manager->counts().sweeps < wanted && managed.emulated().clock().now() < end) {
      manager->step();
      outstanding_max = std::max(outstanding_max, manager->outstanding());
      wire_->wait_until(manager->next_event());
    }
    ASSERT_EQ(manager->counts().sweeps, wanted);
  }

  PortId port(const std::string& node, unsigned num) const {
    const Fabric& fabric = managed.fabric();
    for (std::uint32_t i = 0; i < fabric.node_count(); ++i)
      if (fabric.node(NodeId(i)).description == node)
        return fabric.port_id(NodeId(i), PortNum(static_cast<std::uint8_t>(num)));
    CHECK(false);
    return kNoPort;
  }
  CounterValues& counted(PortId port) { return managed.emulated().port_counters(port); }
  std::uint64_t& counted(PortId port, Counter counter) { return counted(port)[index(counter)]; }
  PerformanceAgent& agent(PortId port) { return managed.emulated().performance_agent(port); }
  Guid guid(PortId port) const {
    return managed.fabric().node(managed.fabric().port(port).node).node_guid;
  }
  const PortTally* tally(PortId port) const {
    const auto node = manager->store().nodes().find(guid(port));
    if (node == manager->store().nodes().end()) return nullptr;
    const auto found = node->second.ports.find(managed.fabric().port(port).num);
    return found == node->second.ports.end() ? nullptr : &found->second;
  }
  std::uint64_t total(PortId port, Counter counter) const {
    const PortTally* found = tally(port);
    return found == nullptr ? UINT64_MAX : found->total[index(counter)];
  }

  mutable Managed managed;
  PerformanceOptions options;
  std::time_t time = 1'000'000;
  std::unique_ptr<PerformanceManager> manager;
  std::size_t outstanding_max = 0;

 private:
  EndportId seat_;
  GmpTransport* wire_ = nullptr;
};

}  // namespace weft
