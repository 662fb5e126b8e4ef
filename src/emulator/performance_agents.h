// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The performance management agents of an emulated fabric: one for each port of a CA, one for all
// ports of a switch. Tests set the counters; traffic is not counted. Counters saturate at the
// maximum of their width, as the specification requires.
// Source: InfiniBand Architecture Specification, volume 1, chapter 16.1.
#pragma once

#include <map>
#include <optional>

#include "emulator/model.h"
#include "emulator/walk.h"
#include "ib/performance.h"
#include "ib/sa_records.h"

namespace weft {

/// Properties of an agent; a test may change them at any time.
struct PerformanceAgent {
  bool answers = true;
  std::uint16_t capabilities = perf_capability::kExtendedWidth | perf_capability::kXmitWait;
  std::optional<ClassPortInfo> redirects_to;
  std::uint64_t gets = 0;  // requests received
  std::uint64_t sets = 0;
};

namespace emulator {

class PerformanceAgents {
 public:
  explicit PerformanceAgents(const Model& model) : model_(model) {}

  PerformanceAgent& agent(PortId port) { return agents_[agent_port(port)]; }
  CounterValues& counters(PortId port) { return counters_[port]; }

  static bool serves(const Gmp& gmp) { return gmp.mgmt_class == MgmtClass::kPerf; }
  /// Converts a request that arrived at `at` into its response, in place. Returns false if no
  /// response is sent.
  bool answer(Gmp& gmp, Place at);

 private:
  PortId agent_port(PortId port) const;
  std::uint16_t handle(Gmp& gmp, Place at, const PerformanceAgent& agent);
  std::uint16_t handle_counters(Gmp& gmp, PortId port, const PerformanceAgent& agent);

  const Model& model_;
  std::map<PortId, PerformanceAgent> agents_;  // by port with the agent's LID
  std::map<PortId, CounterValues> counters_;
};

}  // namespace emulator
}  // namespace weft
