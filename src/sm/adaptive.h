// Adaptive routing from the manager's side: which switches can choose, what they hold, and the SMPs
// that bring them to what the routes want. A switch that cannot, or that fails, forwards by its
// plain table, which is always written: whoever is left out, the verdict holds (verify/choices.h).
//
// While plain tables change nobody chooses: switches that do are switched off first, and on again
// when their groups, and then their entries, are in.
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
#include "sm/ar_conf.h"
#include "sm/desired.h"
#include "sm/held_tables.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

/// What is done to one switch, in this order.
enum class ArStep : std::uint8_t {
  kGroups,      // ARGroupTable
  kEntries,     // ARLinearForwardingTableSX
  kDirections,  // RNSubGroupDirectionTable
  kStrings,     // RNGenStringTable
  kReceived,    // RNRcvString
  kTellsBy,     // RNXmitPortMask
  kOff,
  kOn,
  kReadBack,
  kForget,  // what other switches told it of a fabric that has been routed anew
};
inline constexpr std::size_t kArTables = 6;  // the first steps write tables, block by block

/// What one switch said and confirmed.
struct ArHeld {
  bool answers = false;  // it knows AdaptiveRoutingInfo
  AdaptiveRoutingInfo info;
  /// By table a digest of each block that it confirmed; 0: not known.
  std::array<std::vector<std::uint64_t>, kArTables> tables;

  bool can_choose() const;
  /// Whether it can tell others of LIDs that it cannot send to any more, and heeds what it is told.
  bool can_notify() const;
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
  /// How many switches are known to choose.
  std::size_t count_on() const;
  /// How many of them tell others of LIDs that they lost.
  std::size_t count_notifying() const;
  bool any_on() const { return count_on() > 0; }
  /// Forgets who is gone, or may have been reset: whose plain tables are not known.
  void distrust(const Observed& observed, const HeldTables& held);

  /// Kinds of device of which none ever answered are not asked again.
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

/// By SwitchId, how many groups each holds; 0 where it cannot choose or may not.
std::vector<std::uint16_t> group_capacities(const Fabric& fabric, const ArKnowledge& known,
                                            const ArConf& conf);

/// By SwitchId, 1 for those that can choose, may, and can notify.
std::vector<std::uint8_t> notifying(const Fabric& fabric, const ArKnowledge& known,
                                    const ArConf& conf);

/// Asks switches that may know and are not known yet. Of a kind that never answered one switch
/// speaks for all: so silence costs one timeout a kind.
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
  std::vector<ArOp> before;  // plain tables are written
  std::vector<ArOp> after;   // step by step
  bool empty() const { return before.empty() && after.empty(); }
};

/// `tables_change`: plain tables of some switch will be written. `looked`: the fabric was looked
/// at, so what switches have told each other is out of date: whoever goes on choosing is to forget
/// it.
ArPlan plan_adaptive(const Desired& desired, const ArKnowledge& known, const ArConf& conf,
                     bool tables_change, bool looked);

struct ArReport {
  std::uint64_t on = 0;             // switches that choose
  std::uint64_t groups = 0;         // blocks written
  std::uint64_t entries = 0;        // blocks written
  std::uint64_t notifying = 0;      // switches that tell each other of LIDs they lost
  std::uint64_t notifications = 0;  // blocks written of the tables for that
  std::uint64_t errors = 0;
  bool ended = false;                 // by too many errors: all switches forward by plain tables
  std::vector<std::string> failures;  // the first kArFailuresNamed of them
};
inline constexpr std::size_t kArFailuresNamed = 20;

/// Carries out one part of a plan. What a switch answers to a Set must be what it was sent; one
/// that fails is left as it is for this sweep, and is not switched on. More errors than
/// ArConf::max_errors within its window end the cycle: nothing more is written, and who chooses is
/// switched off.
class ArProgramming final : public SmpWork {
 public:
  ArProgramming(std::vector<ArOp> ops, const Observed& observed, const Desired& desired,
                ArKnowledge& known, const ArConf& conf, const Clock& clock, ArReport& report);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  void fill(Smp& request, const ArOp& op) const;
  void note(const ArOp& op, const std::string& why);
  void end_cycle();

  std::vector<ArOp> ops_;
  const Observed& observed_;
  const Desired& desired_;
  ArKnowledge& known_;
  const ArConf& conf_;
  const Clock& clock_;
  ArReport& report_;
  std::size_t at_ = 0;
  std::size_t on_wire_ = 0;
  ArStep step_{};                // of those
  std::set<std::uint32_t> bad_;  // switches
  std::deque<TimeNs> errors_;    // within the window
};

/// Appends lines to ArConf::log_file, which begins anew when it has LOG_SIZE. Fails with
/// kEnvironment naming the file.
Status log_adaptive(const ArConf& conf, const ArReport& report);

}  // namespace weft
