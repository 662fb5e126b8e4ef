// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of the phases of programming: what each one sends, what its answers change, and what a
// refusal of it means. apply.h executes them.
#pragma once

#include <string>
#include <string_view>

#include "ib/port_info.h"
#include "sm/programming/programming_state.h"

namespace weft {

/// How a Set that is answered with an error status counts.
enum class Refusal : std::uint8_t {
  kFails,
  kTolerated,            // the subnet works without it
  kToleratedIfNotNeeded  // as kTolerated, unless the routes need SL2VL and arbitration
};

/// Phases that set PortInfo: which other steps may follow after status 0x1C (program_ports.h).
enum class PortSet : std::uint8_t {
  kNone,     // the phase sets another attribute
  kFields,   // or takes the port down
  kMovesUp,  // to ARMED or ACTIVE
};

struct PhaseRules {
  Phase phase{};
  std::string_view name{};
  /// What is set, for messages.
  std::string (*subject)(const PlannedOp&) = nullptr;
  void (*fill)(Programming&, const PlannedOp&, Smp&) = nullptr;
  /// Records an answer with good status. Returns why it counts as a refusal after all; else empty.
  std::string (*confirm)(Programming&, const PlannedOp&, const Smp& answer) = nullptr;

  /// True if earlier answers leave nothing to do; null: never.
  bool (*is_done)(const Programming&, const PlannedOp&) = nullptr;
  /// Called after each failure; may be null.
  void (*on_failure)(Programming&, const PlannedOp&) = nullptr;
  /// Called after a tolerated refusal; may be null.
  void (*on_refusal)(Programming&, const PlannedOp&) = nullptr;

  Refusal refusal = Refusal::kFails;
  std::string_view cost_of_refusal{};  // for messages; empty: a refusal is not reported
  bool is_sl2vl = false;               // refusals are subject to suppress_sl2vl_mad_status_errors
  bool retrains = false;       // the link may go down before the answer is sent: none is a refusal
  bool writes_tables = false;  // after a failure the tables of the switch are incomplete
  bool needs_tables = false;   // only on links between nodes with complete tables
  PortSet port_set = PortSet::kNone;
  PortState state = PortState::kNoChange;  // PortState to set
};

const PhaseRules& rules_of(Phase phase);

}  // namespace weft
