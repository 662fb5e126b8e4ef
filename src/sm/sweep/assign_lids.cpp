// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/assign_lids.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "sm/programming/desired.h"

namespace weft {
namespace {

constexpr std::size_t kChangesNamed = 50;         // in the log
constexpr std::size_t kPortsOverLimitNamed = 20;  // in the log

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

/// Adds a warning for each CA port with vports beyond the limit of own LIDs: once for each port and
/// limit, because a host may announce and withdraw vports at any rate.
void note_vports_over_limit(const Fabric& fabric, unsigned limit, SubnetMemory& memory,
                            std::vector<std::string>& warnings) {
  std::map<Guid, unsigned>& noted = memory.noted_over_lid_limit;
  std::erase_if(noted, [&](const auto& port) { return !fabric.find_endport(port.first); });
  std::size_t named = 0, unnamed = 0;
  for (const auto& [host, vports] : memory.vport_lids.over_limit()) {
    const auto endport = fabric.find_endport(host);
    if (!endport) continue;
    const auto [known, is_new] = noted.try_emplace(host, limit);
    if (!is_new && std::exchange(known->second, limit) == limit) continue;
    if (named++ < kPortsOverLimitNamed)
      warnings.push_back(fmt::format(
          "{}: {} virtual ports beyond the limit of {} with LIDs of their own (virt_max_own_lids) "
          "get no LID and stay in INIT",
          describe(fabric, fabric.endport(*endport).port), vports.size(), limit));
    else
      ++unnamed;
  }
  if (unnamed > 0)
    warnings.push_back(fmt::format(
        "{} more CA ports have virtual ports beyond the limit of {} with LIDs of their own",
        unnamed, limit));
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
      {*memory.observed, *fabric, options.reassign_lids, keeps_current, options.virt_max_own_lids},
      lids, warnings);
  note_vports_over_limit(*fabric, options.virt_max_own_lids, memory, warnings);
  options.reassign_lids = false;  // -r applies to the first sweep only
  memory.lids.save(options.cache_dir, warnings);
  for (const std::string& warning : warnings) warn(report, warning);
  report.seconds.lids = watch.seconds();
  log_fabric_changes(*fabric, memory, report);
  return fabric;
}

}  // namespace weft
