// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: plans the desired state of the subnet, and the SMPs that change the subnet to
// this state. It reads the SL2VL, VL arbitration and P_Key tables that are planned and unknown.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sm/discovery/smp_work.h"
#include "sm/options.h"
#include "sm/programming/desired.h"
#include "sm/programming/diff.h"
#include "sm/programming/lane_reading.h"
#include "sm/programming/pkey_reading.h"
#include "sm/subnet_memory.h"
#include "sm/sweep/find_routes.h"
#include "sm/sweep_report.h"
#include "verify/dependencies.h"

namespace weft {

class PlanStage final : public WorkInParts {
 public:
  struct Input {
    SubnetMemory& memory;  // references must outlive the stage
    const SmOptions& options;
    SweepReport& report;
    Fabric fabric;  // includes the LIDs
    Routes routes;
    const Verdict& verdict;  // verdict of these routes
    AliasGuids aliases;
    /// Dependencies of the verdict, if the routes were verified in this sweep; null otherwise.
    /// Afterwards they refer to the fabric of the output.
    Dependencies* dependencies = nullptr;
  };
  explicit PlanStage(Input input);

  bool advance() override;

  struct Output {
    std::unique_ptr<Desired> desired;
    std::unique_ptr<Plan> plan;
  };
  /// To be called once at the end.
  Output output();

 private:
  std::vector<bool> ports_to_reregister() const;
  std::uint8_t usable_sm_sl(const Verdict& verdict) const;
  std::vector<PortId> links_to_take_down() const;
  void order_transition(Plan& plan) const;
  TransitionReport ordered(Plan& plan, const DependencyGraph* proved) const;

  SubnetMemory& memory_;
  const SmOptions& options_;
  SweepReport& report_;
  Dependencies* const dependencies_;
  std::unique_ptr<Desired> desired_;
  std::optional<LaneReading> lanes_;
  std::optional<PkeyReading> pkeys_;
};

}  // namespace weft
