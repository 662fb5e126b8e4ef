// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/phase_table.h"

#include <array>

#include "base/check.h"
#include "sm/programming/mft_blocks.h"
#include "sm/programming/program_lanes.h"
#include "sm/programming/program_ports.h"
#include "sm/programming/program_tables.h"

namespace weft {
namespace {

std::string port_subject(const PlannedOp& planned) {
  return fmt::format("port {} ({})", planned.op.index, name(planned.phase));
}

std::string multicast_subject(const PlannedOp& planned) {
  return fmt::format("multicast table block {} position {}", mft_block_of(planned.op.index),
                     mft_position_of(planned.op.index));
}

std::string sl2vl_subject(const PlannedOp& planned) {
  return fmt::format("SL2VL of port {}", planned.op.index & 0xFF);
}

constexpr std::string_view kNotNeeded = "the routes do not need it";
constexpr std::string_view kPairByPair = "each pair is written separately";

const std::array<PhaseRules, kPhaseCount> kPhases{{
    {.phase = Phase::kPkeys,
     .name = "P_Keys",
     .subject =
         [](const PlannedOp& planned) {
           return fmt::format("P_Keys of port {}", port_of(planned.op).value());
         },
     .fill = fill_pkeys,
     .confirm = confirm_pkeys},
    {.phase = Phase::kPorts,
     .name = "ports",
     .subject = port_subject,
     .fill = fill_port,
     .confirm = confirm_port,
     .port_set = PortSet::kFields},
    {.phase = Phase::kSwitches,
     .name = "switches",
     .subject = [](const PlannedOp&) { return std::string("SwitchInfo"); },
     .fill = fill_switch,
     .confirm = confirm_switch,
     .writes_tables = true},
    {.phase = Phase::kTables,
     .name = "tables",
     .subject =
         [](const PlannedOp& planned) { return fmt::format("table block {}", planned.op.index); },
     .fill = fill_table,
     .confirm = confirm_table,
     .writes_tables = true},
    {.phase = Phase::kSl2VlAtOnce,
     .name = "SL2VL of all pairs at once",
     .subject = [](const PlannedOp&) { return std::string("SL2VL of all pairs at once"); },
     .fill = fill_sl2vl,
     .on_refusal = note_refused_at_once,
     .refusal = Refusal::kTolerated,
     .cost_of_refusal = kPairByPair,
     .is_sl2vl = true,
     .writes_tables = true},
    {.phase = Phase::kSl2VlCheck,
     .name = "SL2VL read back",
     .subject = sl2vl_subject,
     .fill = read_sl2vl,
     .confirm = confirm_read_back,
     .is_done = refuses_at_once,
     .refusal = Refusal::kTolerated,
     .cost_of_refusal = kPairByPair,
     .is_sl2vl = true,
     .writes_tables = true},
    {.phase = Phase::kSl2Vl,
     .name = "SL2VL",
     .subject = sl2vl_subject,
     .fill = fill_sl2vl,
     .confirm = confirm_sl2vl,
     .is_done = holds_sl2vl,
     .refusal = Refusal::kToleratedIfNotNeeded,
     .cost_of_refusal = kNotNeeded,
     .is_sl2vl = true,
     .writes_tables = true},
    {.phase = Phase::kVlArb,
     .name = "VL arbitration",
     .subject =
         [](const PlannedOp& planned) {
           return fmt::format("VL arbitration of port {}", planned.op.index & 0xFF);
         },
     .fill = fill_arbitration,
     .confirm = confirm_arbitration,
     .refusal = Refusal::kToleratedIfNotNeeded,
     .cost_of_refusal = kNotNeeded,
     .writes_tables = true},
    {.phase = Phase::kMulticastCut,
     .name = "multicast ports removed",
     .subject = multicast_subject,
     .fill = fill_multicast,
     .confirm = confirm_multicast},
    {.phase = Phase::kMulticast,
     .name = "multicast tables",
     .subject = multicast_subject,
     .fill = fill_multicast,
     .confirm = confirm_multicast},
    {.phase = Phase::kArm,
     .name = "arm",
     .subject = port_subject,
     .fill = fill_port,
     .confirm = confirm_port,
     .needs_tables = true,
     .port_set = PortSet::kMovesUp,
     .state = PortState::kArmed},
    {.phase = Phase::kActivate,
     .name = "activate",
     .subject = port_subject,
     .fill = fill_port,
     .confirm = confirm_port,
     .needs_tables = true,
     .port_set = PortSet::kMovesUp,
     .state = PortState::kActive},
    {.phase = Phase::kReregister,
     .name = "reregistration",
     .subject = port_subject,
     .fill = fill_port,
     .confirm = confirm_port,
     .refusal = Refusal::kTolerated,
     .cost_of_refusal = "ClientReregister is sent again in the next sweep",
     .port_set = PortSet::kFields},
    {.phase = Phase::kGuids,
     .name = "GUIDs",
     .subject =
         [](const PlannedOp& planned) {
           return fmt::format("GUIDs of port {}", port_of(planned.op).value());
         },
     .fill = fill_guids,
     .confirm = confirm_guids,
     .on_refusal = remember_guids,  // avoids another refusal
     .refusal = Refusal::kTolerated,
     .cost_of_refusal = "its virtual functions have no alias GUIDs"},
    {.phase = Phase::kKeyOwners,
     .name = "port GUID",
     .subject = port_subject,
     .fill = read_key_owner,
     .confirm = confirm_key_owner},
    {.phase = Phase::kKeys,
     .name = "M_Key",
     .subject = port_subject,
     .fill = fill_port,
     .confirm = confirm_port,
     .is_done = lacks_key_owner,
     .on_failure = settle_key,
     .port_set = PortSet::kFields},
    {.phase = Phase::kFdr10,
     .name = "FDR10",
     .subject = port_subject,
     .fill = fill_fdr10,
     .confirm = confirm_fdr10,
     .refusal = Refusal::kTolerated,
     .cost_of_refusal = "the link keeps its speed",
     .retrains = true},
    {.phase = Phase::kTakeDown,
     .name = "links taken down",
     .subject = port_subject,
     .fill = fill_port,
     .confirm = confirm_port,
     .on_refusal = note_taken_down,  // the link may be down; the next sweep checks it
     .refusal = Refusal::kTolerated,
     .retrains = true,
     .port_set = PortSet::kFields,
     .state = PortState::kDown},
}};

}  // namespace

const PhaseRules& rules_of(Phase phase) {
  const PhaseRules& rules = kPhases[static_cast<std::size_t>(phase)];
  CHECK(rules.phase == phase);
  return rules;
}

std::string_view name(Phase phase) { return rules_of(phase).name; }

}  // namespace weft
