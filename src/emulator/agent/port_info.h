// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PortInfo. A Set is checked as a whole before anything changes; it may change the state of the
// port, retrain the link and cause traps.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/counters.h"
#include "emulator/links.h"
#include "emulator/model.h"
#include "emulator/traps.h"
#include "ib/port_info.h"

namespace weft::emulator {

class PortInfoAgent {
 public:
  /// All references must outlive this object.
  PortInfoAgent(Model& model, Links& links, Traps& traps, EmulatorCounters& counters)
      : model_(model), links_(links), traps_(traps), counters_(counters) {}

  MadStatus serve(Smp& smp, Place at);

 private:
  MadStatus set(Place at, PortId target, const PortInfo& wanted);
  void change_state(PortId target, PortState state, PhysState phys);
  void receive_data(PortId port);

  Model& model_;
  Links& links_;
  Traps& traps_;
  EmulatorCounters& counters_;
};

}  // namespace weft::emulator
