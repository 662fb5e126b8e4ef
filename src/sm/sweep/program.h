// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: programs the subnet as planned. Adaptive routing is disabled before plain
// tables change, and enabled after all other programming except that of virtual ports.
#pragma once

#include <optional>

#include "base/clock.h"
#include "sm/adaptive/adaptive.h"
#include "sm/discovery/smp_work.h"
#include "sm/keys/key_store.h"
#include "sm/options.h"
#include "sm/programming/apply.h"
#include "sm/subnet_memory.h"
#include "sm/sweep_report.h"
#include "sm/vports/vport_programming.h"

namespace weft {

class ProgramStage final : public WorkInParts {
 public:
  struct Input {
    SubnetMemory& memory;  // references must outlive the stage
    const SmOptions& options;
    KnownKeys& keys;
    KeyStore& key_store;
    const Clock& clock;
    const ArConf& ar_conf;
    Desired& desired;
    Plan& plan;  // the constructor removes changes of M_Keys if they cannot be saved
    SweepReport& report;
    bool is_update = false;  // the fabric was not discovered
  };
  explicit ProgramStage(const Input& input);

  bool advance() override;
  /// To be called once at the end. Records the programmed settings in the memory, the files of
  /// M_Keys and the report. Returns the number of links that were taken down and retrain.
  std::size_t conclude();

  /// Whether stop() is possible. It is not possible with changes of adaptive routing, which must be
  /// completed together.
  bool may_stop() const;
  /// To be called instead of conclude() if programming stops before its end. Records the programmed
  /// settings. Tables with unanswered Sets count as unknown.
  void stop();

 private:
  bool begin_adaptive();
  bool begin_vports();
  bool ports_changed() const;
  void warn_of_hash_entries();
  void announce_keys();
  void begin_plain();
  Status record();
  void report_adaptive();
  void report_unstored_values();

  const Input in_;
  ArPlan adaptive_plan_;
  std::optional<ArProgramming> adaptive_off_;
  std::optional<PlanExecution> plain_;
  std::optional<ArProgramming> adaptive_on_;
  std::optional<VportProgramming> vports_;
};

}  // namespace weft
