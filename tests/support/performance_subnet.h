// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A managed subnet on the emulator with a subnet manager and a performance manager.
#pragma once

#include <memory>
#include <string>

#include "gmp/performance_manager.h"
#include "support/log_lines.h"
#include "support/managed_subnet.h"

namespace weft {

/// A subnet with a performance manager that reads the counters of the emulated devices.
class PerformanceSubnet {
 public:
  explicit PerformanceSubnet(Fabric fabric);
  ~PerformanceSubnet();

  /// Brings the subnet up and starts the performance manager.
  void start();
  /// Starts a new performance manager, as after a restart.
  void begin();
  /// Runs until `count` more sweeps are complete.
  void sweep(std::uint64_t count = 1);

  /// A port of the node with this description, which must exist.
  PortId port(const std::string& node, unsigned num) const;
  /// The counters of the emulated device.
  CounterValues& device_counters(PortId port) { return managed.emulated().port_counters(port); }
  std::uint64_t& device_counters(PortId port, Counter counter) {
    return device_counters(port)[index(counter)];
  }
  PerformanceAgent& agent(PortId port) { return managed.emulated().performance_agent(port); }
  Guid guid(PortId port) const;
  /// The accumulated values of a port; null if the performance manager has no values.
  const PortTally* tally(PortId port) const;
  /// The accumulated value of a counter; UINT64_MAX if the performance manager has no values.
  std::uint64_t total(PortId port, Counter counter) const;

  mutable ManagedSubnet managed;
  PerformanceOptions options;
  std::time_t time = 1'000'000;
  std::unique_ptr<PerformanceManager> manager;
  std::size_t outstanding_max = 0;

 private:
  EndportId manager_endport_;
  GmpTransport* wire_ = nullptr;
};

}  // namespace weft
