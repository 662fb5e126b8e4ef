// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programming of adaptive routing: the plan of the SMPs that write the AR settings and AR groups of
// the routes to the AR-capable switches, and its execution. A switch without adaptive routing, or
// for which programming fails, uses its linear forwarding table, which is always written. The
// verdict is valid for any subset of AR switches (verify/adaptive_verifier.h).
//
// Adaptive routing is disabled while plain tables change. It is enabled again after the groups and
// then the entries are written.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ib/adaptive.h"
#include "policy/ar_conf.h"
#include "sm/adaptive/ar_memory.h"
#include "sm/adaptive/group_copies.h"
#include "sm/observed.h"
#include "sm/programming/desired.h"
#include "sm/programming/program_executor.h"

namespace weft {

struct ArOp {
  ArStep step{};
  std::uint32_t sw = 0;     // SwitchId
  std::uint16_t block = 0;  // block of a table; with kCopies: index in GroupWrites::copies
  bool operator==(const ArOp&) const = default;
};

struct ArPlan {
  std::vector<ArOp> before;                       // sent before plain tables are written
  std::vector<ArOp> after;                        // sent after the plain tables, in order
  std::map<std::uint32_t, GroupWrites> copies{};  // by SwitchId, for kCopies
  bool empty() const { return before.empty() && after.empty(); }
};

/// The plan for the desired routes. `tables_change`: the plain table of at least one switch will be
/// written. `discovered`: this sweep discovered the fabric, so FRNs of earlier port changes are out
/// of date, and switches with adaptive routing enabled must discard them.
ArPlan plan_adaptive(const Desired& desired, const ArMemory& known, const ArConf& conf,
                     bool tables_change, bool discovered);

struct ArReport {
  std::uint64_t on = 0;                // switches with adaptive routing enabled
  std::uint64_t groups = 0;            // blocks of group tables written
  std::uint64_t copies = 0;            // number of SMPs that copied groups
  std::uint64_t entries = 0;           // blocks of AR forwarding tables written
  std::uint64_t notifying = 0;         // switches with FRN enabled
  std::uint64_t notifications = 0;     // blocks of FRN tables written
  std::uint64_t weights = 0;           // blocks of weights of sub-groups written
  std::uint64_t private_switches = 0;  // switches with private tables in use
  std::uint64_t private_blocks = 0;    // blocks of private tables written
  std::uint64_t errors = 0;
  bool ended = false;                 // too many errors: the rest of the plan was skipped
  std::vector<std::string> failures;  // messages of the first kArFailuresNamed errors
  std::uint64_t refused = 0;          // settings of HBF and pFRN that switches did not confirm
  std::vector<std::string> refusals;  // messages of the first kArFailuresNamed refusals
  /// A switch with divided groups refused HBF, so routes without the division are needed.
  bool is_division_refused = false;
};
inline constexpr std::size_t kArFailuresNamed = 20;

/// Executes a part of a plan, step by step. The answer to a Set must equal the request, except for
/// read-only fields of settings; of AdaptiveRoutingInfo only `enabled`, the number of sub-groups
/// and, when it is read back, the highest group number are compared. If a setting of HBF or pFRN is
/// refused or stored with other values, only HBF or pFRN is disabled at the switch. After another
/// error, a switch gets no more SMPs of this part. If more than ArConf::max_errors errors occur
/// within the window of ArConf, the rest of the plan is skipped, and adaptive routing is disabled
/// on all switches without an error in this part.
class ArProgramming final : public ProgramExecutor {
 public:
  /// The referenced objects must outlive this object.
  ArProgramming(const std::vector<ArOp>& ops, const ArPlan& plan, const Observed& observed,
                const Desired& desired, ArMemory& known, const ArConf& conf, const Clock& clock,
                ArReport& report);

  /// Switches with an error in this part.
  const std::set<std::uint32_t>& failed_switches() const { return failed_; }

 private:
  std::size_t round_count() const override { return rounds_.size(); }
  std::size_t size_of(std::size_t round) const override { return rounds_[round].size(); }
  bool skips(const ProgramRequest& request) override { return failed_.contains(op_of(request).sw); }
  void fill(const ProgramRequest& request, Smp& smp) override { fill(op_of(request), smp); }
  unsigned on_answer(const ProgramRequest& request, const Smp& answer) override;
  void on_failure(const ProgramRequest& request, const Error& why) override;

  const ArOp& op_of(const ProgramRequest& request) const {
    return rounds_[request.round][request.index];
  }
  void add(const ArOp& op);
  std::vector<std::uint64_t>& held_groups(std::uint32_t sw);
  void confirm_copy(const ArOp& op);
  void fill(const ArOp& op, Smp& smp) const;
  std::string confirm(const ArOp& op, const Smp& answer);
  void note(const ArOp& op, const std::string& why);
  void note_refusal(const ArOp& op, const Smp& answer);
  void skip_rest();

  std::vector<std::vector<ArOp>> rounds_;  // by round: requests of a step
  const ArPlan& plan_;
  const Observed& observed_;
  const Desired& desired_;
  ArMemory& known_;
  const ArConf& conf_;
  const Clock& clock_;
  ArReport& report_;
  std::set<std::uint32_t> failed_;               // switches with an error
  std::map<std::uint32_t, std::size_t> copied_;  // number of confirmed copies, by switch
  std::deque<TimeNs> errors_;                    // times of the errors within the window
};

/// Appends the report to ArConf::log_file, which is truncated at LOG_SIZE. Fails with kEnvironment;
/// the message contains the file.
Status log_adaptive(const ArConf& conf, const ArReport& report);

}  // namespace weft
