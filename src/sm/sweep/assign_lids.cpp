// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/assign_lids.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "sm/programming/desired.h"

namespace weft {
namespace {

constexpr std::size_t kChangesNamed = 50;  // in the log

/// Logs the names of changed nodes and links: at most kChangesNamed.
void log_fabric_changes(const Fabric& fabric, const SubnetMemory& memory, SweepReport& report) {
  if (!memory.snapshot) return;
  report.changes = compare(memory.snapshot->fabric, fabric);
  const auto changes = summarize_changes(report.changes);
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesNamed); ++i)
    log::info("{}: {}", name(changes[i].kind), changes[i].what);
  if (changes.size() > kChangesNamed)
    log::info("and {} more changes of the fabric", changes.size() - kChangesNamed);
}

}  // namespace

Result<Fabric> assign_lids(SmOptions& options, SubnetMemory& memory, SweepReport& report) {
  const Stopwatch watch;
  std::vector<std::string> warnings;
  LidMemory& lids = memory.lids.recall(options.cache_dir, warnings);
  if (options.reassign_lids) memory.lids.clear();
  for (const std::string& warning : warnings) warn(report, warning);
  warnings.clear();
  // LIDs that ports have were assigned by the previous master and take precedence. The file of this
  // manager is older, and applies only to ports without a LID. -x reverses this order.
  if (memory.was_standby && !options.honor_guid2lid_file && !options.reassign_lids)
    keep_port_lids(memory.observed->fabric, lids);
  auto fabric = assign_subnet_lids(*memory.observed, options, lids);
  if (!fabric) return fabric;
  const bool keeps_current = memory.was_standby && !options.honor_guid2lid_file;
  memory.vport_lids = assign_vport_lids(
      {*memory.observed, *fabric, options.reassign_lids, keeps_current}, lids, warnings);
  options.reassign_lids = false;  // -r applies to the first sweep only
  memory.lids.save(options.cache_dir, warnings);
  for (const std::string& warning : warnings) warn(report, warning);
  report.seconds.lids = watch.seconds();
  log_fabric_changes(*fabric, memory, report);
  return fabric;
}

}  // namespace weft
