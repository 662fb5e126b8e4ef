// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The congestion control agents of an emulated fabric: they store the attributes that are set,
// those of programmable congestion control (PPCC) and of DCQCN included.
// Source: InfiniBand Architecture Specification, volume 1, annex A10.
#pragma once

#include <map>

#include "emulator/gmp_agents/dcqcn_agent.h"
#include "emulator/gmp_agents/ppcc_agent.h"
#include "emulator/model.h"
#include "emulator/walk.h"
#include "ib/gmps/congestion.h"

namespace weft {

struct CongestionAgent {
  bool answers = true;
  std::uint64_t cc_key = 0;  // MADs with another key are ignored; 0: any key is accepted
  std::uint64_t sets = 0;    // Sets that were applied
  SwitchCongestionSetting switch_setting;
  CaCongestionSetting ca_setting;
  std::map<std::uint32_t, CongestionControlTable> table;  // by block
  PpccAgent ppcc;                                         // of a CA port
  DcqcnAgent dcqcn;
  std::map<std::uint16_t, std::uint64_t> requests;  // by attribute; those that are ignored included
};

namespace emulator {

class CongestionAgents {
 public:
  explicit CongestionAgents(const Model& model) : model_(model) {}

  CongestionAgent& agent(PortId port) {
    const Port& is = model_.fabric().port(port);
    return agents_[model_.agent_port(is.node, is.num)];
  }

  /// Removes the settings of a node that loses its power.
  void reset(NodeId node);

  static bool serves(const Gmp& gmp) { return gmp.mgmt_class == kCongestionClass; }
  /// Converts a request that arrived at `at` into its response, in place. False if no response is
  /// sent.
  bool answer(Gmp& gmp, Place at);

 private:
  std::optional<std::uint16_t> serve(Gmp& gmp, Place at, CongestionAgent& agent) const;

  const Model& model_;
  std::map<PortId, CongestionAgent> agents_;  // by port with the agent's LID
};

}  // namespace emulator
}  // namespace weft
