// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of the phases of programming: what each phase sends, what its answers change, and what
// a refusal means. apply.h executes the phases.
#pragma once

#include <string>
#include <string_view>

#include "ib/port_info.h"
#include "sm/programming/programming_state.h"

namespace weft {

/// How an SMP counts if its answer has an error status other than BUSY, or if confirm() refuses the
/// answer. BUSY and a missing answer are failures (except with PhaseRules::retrains).
enum class Refusal : std::uint8_t {
  kFails,
  kTolerated,            // the subnet works without it
  kToleratedIfNotNeeded  // as kTolerated, unless the routes need SL2VL and arbitration
};

/// Kinds of phases that set PortInfo, which determine the further steps after status 0x1C
/// (program_ports.h).
enum class PortSet : std::uint8_t {
  kNone,     // the phase sets another attribute
  kFields,   // the phase sets fields, or takes the port down
  kMovesUp,  // the phase moves ports to ARMED or ACTIVE
};

struct PhaseRules {
  Phase phase{};
  std::string_view name{};
  /// The object of the SMP, for messages.
  std::string (*subject)(const PlannedOp&) = nullptr;
  void (*fill)(Programming&, const PlannedOp&, Smp&) = nullptr;
  /// Records an answer with good status. Returns why the answer counts as a refusal; otherwise
  /// empty.
  std::string (*confirm)(Programming&, const PlannedOp&, const Smp& answer) = nullptr;

  /// True if earlier answers made the SMP unnecessary, or show that it must not be sent; null:
  /// never.
  bool (*is_done)(const Programming&, const PlannedOp&) = nullptr;
  /// Called after each failure, tolerated or not, except after an answer that confirm() refuses in
  /// a phase with another `refusal` than kFails; may be null.
  void (*on_failure)(Programming&, const PlannedOp&) = nullptr;
  /// Called after a tolerated refusal that is not by confirm(); may be null.
  void (*on_refusal)(Programming&, const PlannedOp&) = nullptr;

  Refusal refusal = Refusal::kFails;
  std::string_view cost_of_refusal{};  // for messages; empty: a refusal is not reported
  bool is_sl2vl = false;               // refusals are subject to suppress_sl2vl_mad_status_errors
  bool retrains = false;  // the link may go down: BUSY and a missing answer count as a refusal
  bool writes_tables =
      false;  // after a failure, unless tolerated, tables of the node are incomplete
  bool needs_tables = false;  // sent only for links between nodes with complete tables
  PortSet port_set = PortSet::kNone;
  PortState state = PortState::kNoChange;  // PortState to set
};

const PhaseRules& rules_of(Phase phase);

}  // namespace weft
