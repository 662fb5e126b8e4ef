// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing in the manager: which switches are AR-capable, their AR configuration, and the
// SMPs that program the AR groups of the routes. A switch without adaptive routing, or on which
// programming fails, forwards by its plain table, which is always written: the verdict holds for
// any subset of AR switches (verify/adaptive_verifier.h).
//
// While plain tables change, adaptive routing is off: it is disabled first, and enabled again after
// the groups and then the entries are written.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ib/adaptive.h"
#include "policy/ar_conf.h"
#include "sm/discovery/smp_client.h"
#include "sm/observed.h"
#include "sm/programming/desired.h"
#include "sm/programming/held_tables.h"
#include "sm/programming/program_executor.h"

namespace weft {

/// Programming steps for one switch, in this order.
enum class ArStep : std::uint8_t {
  kGroups,       // ARGroupTable
  kEntries,      // ARLinearForwardingTableSX
  kDirections,   // RNSubGroupDirectionTable
  kStrings,      // RNGenStringTable
  kReceived,     // RNRcvString
  kNotifyPorts,  // RNXmitPortMask
  kOff,
  kOn,
  kReadBack,
  kForget,  // discards FRNs received under the previous routes
};
inline constexpr std::size_t kArTables = 6;  // the first steps write tables block by block

/// AR state of one switch, as read or confirmed.
struct ArHeld {
  bool answers = false;  // supports AdaptiveRoutingInfo
  AdaptiveRoutingInfo info;
  /// By table a digest of each confirmed block; 0: unknown.
  std::array<std::vector<std::uint64_t>, kArTables> tables;

  bool can_choose() const;
  /// Whether it supports FRN: it sends and processes notifications of unreachable LIDs.
  bool can_notify() const;
  /// Whether it supports hash-based forwarding (HBF).
  bool can_hash() const { return (info.more_capabilities & AdaptiveRoutingInfo::kHbfCapable) != 0; }
  void forget_tables() { tables = {}; }
};

/// From sweep to sweep, by node GUID.
class ArKnowledge {
 public:
  const ArHeld* find(Guid sw) const {
    const auto found = switches_.find(sw);
    return found == switches_.end() ? nullptr : &found->second;
  }
  ArHeld& at(Guid sw) { return switches_[sw]; }
  /// Switches with adaptive routing enabled.
  std::size_t count_on() const;
  /// Those that also send FRNs.
  std::size_t count_notifying() const;
  bool any_on() const { return count_on() > 0; }
  /// Drops absent switches and those that may have been reset: their plain tables are unknown.
  void distrust(const Observed& observed, const HeldTables& held);

  /// Device kinds of which none ever answered are not queried again.
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor, device
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }
  bool is_worth_asking(const NodeInfo& node) const;
  bool has_answered(const NodeInfo& node) const { return answering_.contains(kind(node)); }
  void answered(const NodeInfo& node) { answering_.insert(kind(node)); }
  void was_silent(const NodeInfo& node);

 private:
  std::unordered_map<Guid, ArHeld> switches_;
  std::set<Kind> answering_;
  std::set<Kind> silent_;
};

/// By SwitchId, the number of AR groups; 0 if not AR-capable or disabled by configuration.
std::vector<std::uint16_t> group_capacities(const Fabric& fabric, const ArKnowledge& known,
                                            const ArConf& conf);

/// By SwitchId, 1 if AR-capable, enabled by configuration, and FRN-capable.
std::vector<std::uint8_t> notifying(const Fabric& fabric, const ArKnowledge& known,
                                    const ArConf& conf);

/// Queries switches that may be AR-capable and are not known yet. Of a device kind that never
/// answered only one switch is queried, so that each kind costs at most one timeout.
class ArReading final : public SmpWork {
 public:
  ArReading(const Observed& observed, ArKnowledge& known);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  const NodeInfo& node(std::uint32_t sw) const { return observed_.nodes[sw].info; }

  const Observed& observed_;
  ArKnowledge& known_;
  std::deque<std::uint32_t> wanted_;
  std::set<ArKnowledge::Kind> probing_;
};

struct ArOp {
  ArStep step{};
  std::uint32_t sw = 0;     // SwitchId
  std::uint16_t block = 0;  // of a table
  bool operator==(const ArOp&) const = default;
};

struct ArPlan {
  std::vector<ArOp> before;  // before plain tables are written
  std::vector<ArOp> after;   // afterwards, step by step
  bool empty() const { return before.empty() && after.empty(); }
};

/// `tables_change`: plain tables of some switch will be written. `discovered`: the fabric was
/// discovered, so received FRNs are out of date: AR switches that stay enabled discard them.
ArPlan plan_adaptive(const Desired& desired, const ArKnowledge& known, const ArConf& conf,
                     bool tables_change, bool discovered);

struct ArReport {
  std::uint64_t on = 0;             // switches with adaptive routing enabled
  std::uint64_t groups = 0;         // blocks written
  std::uint64_t entries = 0;        // blocks written
  std::uint64_t notifying = 0;      // switches with FRN enabled
  std::uint64_t notifications = 0;  // blocks of FRN tables written
  std::uint64_t errors = 0;
  bool ended = false;                 // too many errors: all switches forward by plain tables
  std::vector<std::string> failures;  // the first kArFailuresNamed of them
};
inline constexpr std::size_t kArFailuresNamed = 20;

/// Executes one part of a plan, step by step. The answer to a Set must equal the request; a switch
/// that fails gets no more SMPs in this sweep, and adaptive routing stays off on it. More errors
/// than ArConf::max_errors within its window end the cycle: no more writes, and adaptive routing is
/// disabled on all switches.
class ArProgramming final : public ProgramExecutor {
 public:
  /// References must outlive this.
  ArProgramming(const std::vector<ArOp>& ops, const Observed& observed, const Desired& desired,
                ArKnowledge& known, const ArConf& conf, const Clock& clock, ArReport& report);

 private:
  std::size_t round_count() const override { return rounds_.size(); }
  std::size_t size_of(std::size_t round) const override { return rounds_[round].size(); }
  bool skips(const ProgramRequest& request) override { return bad_.contains(op_of(request).sw); }
  void fill(const ProgramRequest& request, Smp& smp) override { fill(op_of(request), smp); }
  unsigned on_answer(const ProgramRequest& request, const Smp& answer) override;
  void on_failure(const ProgramRequest& request, const Error& why) override;

  const ArOp& op_of(const ProgramRequest& request) const {
    return rounds_[request.round][request.index];
  }
  void add(const ArOp& op);
  void fill(const ArOp& op, Smp& smp) const;
  std::string confirm(const ArOp& op, const Smp& answer);
  void note(const ArOp& op, const std::string& why);
  void end_cycle();

  std::vector<std::vector<ArOp>> rounds_;  // one for each step
  const Observed& observed_;
  const Desired& desired_;
  ArKnowledge& known_;
  const ArConf& conf_;
  const Clock& clock_;
  ArReport& report_;
  std::set<std::uint32_t> bad_;  // switches
  std::deque<TimeNs> errors_;    // within the window
};

/// Appends lines to ArConf::log_file, which is truncated at LOG_SIZE. Fails with kEnvironment
/// naming the file.
Status log_adaptive(const ArConf& conf, const ArReport& report);

}  // namespace weft
