// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Executes a plan, phase by phase, and counts successful and failed SMPs. phase_table.h defines the
// SMPs and the effects of each phase.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sm/programming/program_executor.h"
#include "sm/programming/programming_state.h"

namespace weft {

struct ApplyReport {
  std::array<std::uint64_t, kPhaseCount> done{};
  /// Failures that are not tolerated: no answer, an error status, or another port GUID than
  /// expected.
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;  // failures with an answer other than BUSY
  std::uint64_t skipped =
      0;  // not sent: the node stopped answering, or an earlier round failed for these LIDs
  std::uint64_t unwritten_blocks = 0;  // of forwarding tables: failed or skipped writes
  /// Sets to ARMED or ACTIVE that were not sent, because a node at an end of the link has
  /// incomplete tables or stopped answering. A port in INIT counts twice.
  std::uint64_t held_back = 0;
  std::vector<NodeId> failed_nodes;    // each node once, in the order of first failures
  std::vector<NodeId> refusing_nodes;  // nodes with a failure that counts in `refused`
  std::vector<std::string>
      failures;  // the first failure of each of the first kFailuresNamed failed nodes
  std::uint64_t done_in(Phase phase) const { return done[static_cast<std::size_t>(phase)]; }
  /// Tolerated refusals (phase_table.h), except those to take links down.
  std::uint64_t tolerated_refusals = 0;
  /// Messages for the first kFailuresNamed tolerated refusals, except those that
  /// suppress_sl2vl_mad_status_errors suppresses.
  std::vector<std::string> refusals;
  bool complete() const { return failed == 0 && skipped == 0 && held_back == 0; }
};

/// A failed node does not stop the programming. A node that stops answering gets no further SMPs,
/// and links of a node with incomplete tables are neither armed nor activated. Answers update
/// `observed`.
class PlanExecution final : public ProgramExecutor {
 public:
  static constexpr std::size_t kFailuresNamed = 20;

  /// All references must outlive this object.
  PlanExecution(const Plan& plan, Observed& observed, HeldTables& held, KnownKeys& keys,
                Desired& desired, const SmOptions& options);

  const ApplyReport& report() const { return report_; }
  /// Ports that confirmed ClientReregister.
  const std::vector<PortId>& reregistered() const { return programming_.reregistered; }
  /// Ports that were sent a Set to Down, including those without an answer or with an error status.
  const std::vector<PortId>& taken_down() const { return programming_.taken_down; }

 private:
  struct Round {
    Phase phase{};
    std::size_t begin = 0, end = 0;  // range of the ops of the phase
    std::size_t number = 0;          // index in the phase
  };
  enum class Failure : std::uint8_t { kSilent, kBusy, kRefused };
  enum class Health : std::uint8_t { kGood, kFailed, kNoTables, kSilent };

  std::size_t round_count() const override { return rounds_.size(); }
  std::size_t size_of(std::size_t round) const override {
    return rounds_[round].end - rounds_[round].begin;
  }
  bool skips(const ProgramRequest& request) override;
  void fill(const ProgramRequest& request, Smp& smp) override;
  unsigned on_answer(const ProgramRequest& request, const Smp& answer) override;
  void on_failure(const ProgramRequest& request, const Error& why) override;

  PlannedOp op_of(const ProgramRequest& request) const {
    const Round& round = rounds_[request.round];
    const std::size_t at = round.begin + request.index;
    return {round.phase, at, programming_.plan[round.phase][at]};
  }
  bool is_unsafe(const PlannedOp& planned, std::size_t round) const;
  void mark_unsafe(const ProgramRequest& request);
  bool lacks_tables_at_link(const PlannedOp& planned) const;
  void count_done(Phase phase) { ++report_.done[static_cast<std::size_t>(phase)]; }
  void count_failure(const ProgramRequest& request, const std::string& why, Failure how);
  bool is_tolerated(const PlannedOp& planned, Failure how) const;
  void report_refusal(const PlannedOp& planned, const std::string& why);
  std::string hidden_key_of(const PlannedOp& planned) const;

  Programming programming_;
  std::vector<Round> rounds_;
  std::vector<std::size_t> unsafe_from_;  // by block of the tables: the first unsafe round
  std::vector<Health> health_;            // by NodeId
  ApplyReport report_;
};

}  // namespace weft
