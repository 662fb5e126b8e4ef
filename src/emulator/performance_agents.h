// The performance management agents of an emulated fabric: one for each port of a CA, one for all
// ports of a switch. Counters stay where a test puts them; nothing that travels is counted. They
// hold at the highest value of their width, as the specification asks.
// Source: InfiniBand Architecture Specification, volume 1, chapter 16.1.
#pragma once

#include <map>
#include <optional>

#include "emulator/model.h"
#include "emulator/walk.h"
#include "ib/performance.h"
#include "ib/sa_records.h"

namespace weft {

/// What an agent is like; a test may change it at any time.
struct PerformanceAgent {
  bool answers = true;
  std::uint16_t capabilities = perf_capability::kExtendedWidth | perf_capability::kXmitWait;
  std::optional<ClassPortInfo> redirects_to;
  std::uint64_t gets = 0;  // requests that arrived
  std::uint64_t sets = 0;
};

namespace emulator {

class PerformanceAgents {
 public:
  explicit PerformanceAgents(const Model& model) : model_(model) {}

  PerformanceAgent& agent(PortId port) { return agents_[agent_port(port)]; }
  CounterValues& counters(PortId port) { return counters_[port]; }

  static bool serves(const Gmp& gmp) { return gmp.mgmt_class == MgmtClass::kPerf; }
  /// Turns a request that arrived at `at` into its answer, in place. False: no answer is due.
  bool answer(Gmp& gmp, Place at);

 private:
  PortId agent_port(PortId port) const;
  std::uint16_t handle(Gmp& gmp, Place at, const PerformanceAgent& agent);
  std::uint16_t handle_counters(Gmp& gmp, PortId port, const PerformanceAgent& agent);

  const Model& model_;
  std::map<PortId, PerformanceAgent> agents_;  // by the port that has the LID
  std::map<PortId, CounterValues> counters_;
};

}  // namespace emulator
}  // namespace weft
