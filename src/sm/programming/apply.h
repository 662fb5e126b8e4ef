// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Executes a plan, phase by phase, and records the tables that nodes confirmed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "sm/discovery/smp_client.h"
#include "sm/keys/known_keys.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"

namespace weft {

struct ApplyReport {
  std::array<std::uint64_t, kPhaseCount> done{};
  std::uint64_t failed = 0;     // error status or no answer
  std::uint64_t refused = 0;    // of those, answered with an error status
  std::uint64_t skipped = 0;    // not sent: the node stopped answering
  std::uint64_t held_back = 0;  // ports not armed or activated: tables of the switch are incomplete
  std::vector<NodeId> failed_nodes;   // each once, in the order of their first failure
  std::vector<std::string> failures;  // of the first kFailuresNamed of them
  std::uint64_t done_in(Phase phase) const { return done[static_cast<std::size_t>(phase)]; }
  std::uint64_t lanes_refused =
      0;  // refused Sets that are tolerated: SL2VL and arbitration that no route needs, alias GUIDs
  std::vector<std::string> refusals;  // the first kFailuresNamed of them
  bool complete() const { return failed == 0 && skipped == 0 && held_back == 0; }
};

/// A failed node does not stop the rest: a node that stops answering gets no further SMPs, and
/// links of a switch with incomplete tables are not activated. Answers update `observed`.
class Applying final : public SmpWork {
 public:
  static constexpr std::size_t kFailuresNamed = 20;

  Applying(const Plan& plan, Observed& observed, HeldTables& held, KnownKeys& keys,
           const Desired& desired, const SmOptions& options);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  const ApplyReport& report() const { return report_; }
  /// Ports that confirmed ClientReregister.
  const std::vector<PortId>& reregistered() const { return reregistered_; }
  /// Ports that were set to Down, including those without an answer.
  const std::vector<PortId>& taken_down() const { return taken_down_; }
  Phase phase() const { return static_cast<Phase>(phase_); }

 private:
  /// Further steps after a device answered a Set of PortInfo with status 0x1C.
  enum class Step : std::uint8_t {
    kFirst,
    kReadState,  // traffic may have moved the port from ARMED to ACTIVE
    kPlain       // once more without SMSupportExtendedSpeeds
  };
  enum class Failure : std::uint8_t { kSilent, kBusy, kRefused };
  enum class Health : std::uint8_t { kGood, kFailed, kNoTables, kSilent };

  bool is_stuck(Phase phase, const Op& op) const;
  void get_stuck(Phase phase, const Op& op);
  bool is_pointless(Phase phase, const Op& op);
  bool leads_to_nowhere(const Op& op) const;
  std::size_t barrier() const;
  std::array<std::uint8_t, kLftBlock> table_block(std::size_t at) const;
  void fill(Smp& request, Phase phase, std::size_t at);
  void fill_fdr10(Smp& request, const Op& op) const;
  void fill_port(Smp& request, Phase phase, const Op& op);
  static Step step_of(std::uint64_t cookie);
  void send_later(std::uint64_t cookie, Step step);
  void fill_again(Smp& request, std::uint64_t cookie);
  bool is_worth_another_step(std::uint64_t cookie);
  void on_state(std::uint64_t cookie, const Smp& answer);
  bool holds_map(const Op& op) const;
  void on_read_back(const Op& op, const Smp& answer);
  void refuse(Phase phase, const Op& op, const std::string& why);
  void note_taken_down(const Op& op) {
    taken_down_.push_back(desired_.fabric.port_id(NodeId(op.node), port_of(op)));
  }
  bool asks_to_reregister(Phase phase, const Op& op) const;
  void on_port(Phase phase, const Op& op, const PortInfo& info);
  const DirectedPath& port_path(const Op& op) const;
  void fill_lanes(Smp& request, Phase phase, const Op& op) const;
  MulticastForwardingTable multicast_block(Phase phase, const Op& op) const;
  void fill_pkeys(Smp& request, const Op& op) const;
  GuidInfo guids(const Op& op) const;
  void fill_guids(Smp& request, const Op& op) const;
  void remember_guids(const Op& op);
  const Op& op_of(std::uint64_t cookie) const;
  bool is_tolerable(Phase phase) const;
  std::string hidden_key_of(const Op& op) const;
  void count_failure(std::uint64_t cookie, const std::string& why, Failure how);
  void on_answer(Phase phase, std::size_t at, const Smp& answer);

  const Plan& plan_;
  Observed& observed_;
  HeldTables& held_;
  KnownKeys& keys_;
  const Desired& desired_;
  const SmOptions& options_;
  std::size_t phase_ = 0;
  std::size_t at_ = 0;                   // next op of the phase
  std::size_t round_ = 0;                // of the phase
  std::size_t on_wire_ = 0;              // of the phase
  std::deque<std::uint64_t> again_;      // cookies of further steps
  std::vector<std::size_t> stuck_from_;  // by block of the tables: the first round that is not safe
  std::vector<Health> health_;           // by NodeId
  std::vector<PortId> reregistered_;
  std::vector<PortId> taken_down_;
  std::set<std::uint32_t> refuses_at_once_;  // NodeId
  ApplyReport report_;
};

}  // namespace weft
