// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: discovers the whole fabric, or only its changes, so that one changed link
// requires no discovery of ten thousand nodes.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "sm/discovery/discovery.h"
#include "sm/discovery/incremental_discovery.h"
#include "sm/discovery/smp_work.h"
#include "sm/options.h"
#include "sm/subnet_memory.h"
#include "sm/sweep_report.h"

namespace weft {

class DiscoverStage final : public WorkInParts {
 public:
  /// All references must outlive the stage.
  struct Input {
    KnownKeys& keys;
    const SmOptions& options;
    SubnetMemory& memory;
    bool clears_changes = false;  // the discovery clears PortStateChange
  };
  /// Discovers the whole fabric.
  explicit DiscoverStage(const Input& input);
  /// Begins with the observation in the memory; `changed`: node GUIDs of changed switches.
  DiscoverStage(const Input& input, std::set<Guid> changed);

  bool advance() override { return incremental_ && incremental_->advance(); }
  bool is_incremental() const { return incremental_ != nullptr; }
  /// To be called when a link changed during the discovery; `sw`: the switch that reports the
  /// change, if known.
  void on_change(std::optional<Guid> sw);

  /// How the sweep continues.
  enum class Outcome : std::uint8_t {
    kGood,   // use observed()
    kAgain,  // the fabric changed, or the answers are contradictory or incomplete: discover the
             // whole fabric
    kFailed  // failure() has the reason
  };
  /// To be called once at the end. After a full discovery, records shared GUIDs, and with kAgain
  /// counts a restart in `report`. Appends to `reasons` why a heavy sweep must follow.
  Outcome conclude(SweepReport& report, std::vector<std::string>& reasons);
  Observed observed() && { return std::move(*observed_); }
  const Error& failure() const { return observed_.error(); }

 private:
  Outcome conclude_incremental(SweepReport& report);
  bool must_repeat(SweepReport& report, std::vector<std::string>& reasons);

  const SmOptions& options_;
  SubnetMemory& memory_;
  std::unique_ptr<Discovery> discovery_;
  std::unique_ptr<IncrementalDiscovery> incremental_;
  bool changed_meanwhile_ = false;
  Result<Observed> observed_ = fail(Code::kEnvironment, "not discovered");
};

/// True if the last sweep, with the report `last`, allows an incremental discovery.
bool may_discover_incrementally(const SubnetMemory& memory, const SweepReport& last);

/// Stores the observation with the virtual ports of the previous observation, keeps the pauses of
/// requests that failed again, and adds the warnings to the report and the log.
void store_observation(Observed observed, SubnetMemory& memory, SweepReport& report);

/// Adds the first degraded links to the report. Logs these links only if the degraded links differ
/// from those of the last sweep.
void report_degraded_links(SubnetMemory& memory, SweepReport& report);

/// Why the sweep cannot continue: the manager's own port has no reachable peer. None if it has a
/// peer.
std::optional<Error> isolation(const Observed& observed);

}  // namespace weft
