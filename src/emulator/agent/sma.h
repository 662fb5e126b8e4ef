// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet management agent of each node: handles Get and Set of the attributes in the other
// files of this folder as the specification requires of switches and CAs, and refuses invalid
// values and other attributes.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/agent/mkey_guard.h"
#include "emulator/agent/port_info.h"
#include "emulator/counters.h"
#include "emulator/links.h"
#include "emulator/model.h"
#include "emulator/notifications.h"
#include "emulator/traps.h"

namespace weft::emulator {

class Sma {
 public:
  /// All references must outlive this object.
  Sma(Model& model, Links& links, Traps& traps, Notifications& notifications, MkeyGuard& mkeys,
      EmulatorCounters& counters)
      : model_(model),
        links_(links),
        traps_(traps),
        notifications_(notifications),
        mkeys_(mkeys),
        counters_(counters),
        port_info_(model, links, traps, counters) {}

  /// Converts a Get or Set that arrived at `at` into its response, in place. False if no response
  /// is sent.
  bool answer(Smp& smp, Place at);
  /// Handles a TrapRepress, which must have the right M_Key.
  void repress(const Smp& smp, Place at);

 private:
  MadStatus serve(Smp& smp, Place at);

  Model& model_;
  Links& links_;
  Traps& traps_;
  Notifications& notifications_;
  MkeyGuard& mkeys_;
  EmulatorCounters& counters_;
  PortInfoAgent port_info_;
};

}  // namespace weft::emulator
