// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/publish.h"

#include <utility>

namespace weft {
namespace {

/// Stores the proof of the new snapshot. Reused routes keep their proof.
void keep_proof(SubnetMemory& memory, std::optional<Dependencies> dependencies, bool is_reused) {
  if (!dependencies && is_reused && memory.proof)
    dependencies.emplace(std::move(memory.proof->dependencies));
  memory.proof.reset();
  if (!dependencies) return;
  dependencies->refer_to(memory.snapshot->fabric);
  memory.proof.emplace(KeptProof{memory.snapshot, std::move(*dependencies)});
}

/// Compares the fabric with the expected topology, if there is one.
void report_topology(const ExpectedTopology* expected, const Fabric& fabric, SweepReport& report) {
  report.topology_findings.reset();
  if (expected == nullptr) return;
  report.topology_findings = topology_findings(expected->fabric, fabric);
  for (const std::string& warning : topology_warnings(*expected, *report.topology_findings))
    warn(report, warning);
}

}  // namespace

void publish(PublishInput input, SweepReport& report) {
  SubnetMemory& memory = input.memory;
  const SmOptions& options = input.options;
  Observed& observed = *memory.observed;
  std::vector<std::string> warnings;
  QosMatcher qos(options.qos_policy, input.desired.fabric, observed.self_endport,
                 options.partitions, warnings);
  for (const std::string& warning : warnings) warn(report, warning);
  report_topology(options.topology.get(), input.desired.fabric, report);
  // A previous manager on the own port may have cleared IsSM when it ended.
  PortInfo& own = observed.nodes[observed.self.value()].ports[observed.self_port.value()];
  own.capability_mask |= cap_mask::kIsSm;
  auto copies = vport_lid_copies(observed.vports, memory.vport_lids, input.desired.fabric);
  memory.snapshot = std::make_shared<const Snapshot>(Snapshot{
      std::move(input.desired.fabric), std::move(input.desired.routes), std::move(input.verdict),
      std::move(input.desired.lanes), observed.self_endport, input.sweep, report,
      std::move(input.desired.pkeys), partition_groups(options.partitions), observed.nodes,
      std::move(input.managers), std::move(qos), options.partitions,
      std::move(input.desired.aliases), observed.vports, memory.planar,
      std::move(input.desired.sm_at), memory.vport_lids, std::move(copies)});
  keep_proof(memory, std::move(input.dependencies), report.routes_reused);
  if (options.ucast_cache && !report.routes_reused && !report.routes_remembered)
    memory.cache.remember(memory.snapshot);
}

}  // namespace weft
