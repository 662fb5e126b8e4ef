// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "sm/adaptive/hash_entry_reading.h"
#include "sm/keys/port_key.h"

namespace weft {

ProgramStage::ProgramStage(const Input& input) : in_(input) {
  announce_keys();
  if (!in_.is_update && ports_changed()) in_.memory.ar.expect_frns();
  // Skipped if adaptive routing is not configured and not enabled on any switch.
  const ArMemory& known = in_.memory.ar;
  if (uses_adaptive_routing(in_.options) || in_.memory.adaptive_default || known.any_on())
    adaptive_plan_ = plan_adaptive(in_.desired, known, in_.ar_conf,
                                   !in_.plan[Phase::kTables].empty(), !in_.is_update);
  warn_of_hash_entries();
  if (adaptive_plan_.before.empty()) {
    begin_plain();
  } else {
    go_on_with(adaptive_off_.emplace(adaptive_plan_.before, adaptive_plan_, *in_.memory.observed,
                                     in_.desired, in_.memory.ar, in_.ar_conf, in_.clock,
                                     in_.report.adaptive));
  }
}

/// Whether the state of a port changed after the last programming, so that switches may have sent
/// FRNs. A link that went down and up again needs ports in ARMED or ACTIVE state.
bool ProgramStage::ports_changed() const {
  const auto& last = in_.memory.snapshot;
  return !last || !are_equal_for_routing(last->fabric, in_.desired.fabric) ||
         !in_.plan[Phase::kArm].empty() || !in_.plan[Phase::kActivate].empty();
}

/// Warns before entries with hash-based forwarding of another manager are replaced or disabled.
void ProgramStage::warn_of_hash_entries() {
  std::set<std::uint32_t> switches;
  for (const ArOp& op : adaptive_plan_.before)
    if (op.step == ArStep::kOff) switches.insert(op.sw);
  for (const ArOp& op : adaptive_plan_.after)
    if (op.step == ArStep::kEntries) switches.insert(op.sw);
  const std::string warning = hash_entry_warning(in_.desired.fabric, switches, in_.memory.ar);
  if (!warning.empty()) warn(in_.report, warning);
}

void ProgramStage::announce_keys() {
  KeyMemory announced;
  for (const Op& op : in_.plan[Phase::kKeys]) {
    const Fabric& fabric = in_.desired.fabric;
    const Guid guid = fabric.port(fabric.port_id(NodeId(op.node), port_of(op))).guid;
    announced[guid] = port_key(in_.options, guid);
  }
  const auto saved =
      in_.key_store.announce(std::move(announced), in_.options.cache_dir, in_.clock.now());
  if (saved) return;
  warn(in_.report,
       "M_Keys are not changed, because they cannot be saved: " + saved.error().message);
  in_.plan[Phase::kKeyOwners].clear();
  in_.plan[Phase::kKeys].clear();
}

void ProgramStage::begin_plain() {
  go_on_with(plain_.emplace(in_.plan, *in_.memory.observed, in_.memory.held, in_.keys, in_.desired,
                            in_.options));
}

bool ProgramStage::advance() {
  if (!plain_) {
    begin_plain();
    return true;
  }
  if (vports_) return vports_->advance();
  if (!adaptive_on_ && begin_adaptive()) return true;
  return begin_vports();
}

bool ProgramStage::begin_adaptive() {
  // New AR entries at some switches and old plain entries at others may form a loop.
  if (const std::uint64_t blocks = plain_->report().unwritten_blocks;
      blocks > 0 && !adaptive_plan_.after.empty()) {
    warn(in_.report, fmt::format("adaptive routing: not programmed before the next sweep, because "
                                 "{} blocks of forwarding tables were not written",
                                 blocks));
    return false;
  }
  // A switch with a failed setting may have incomplete tables of SLs and VLs, and a switch that did
  // not confirm that adaptive routing is disabled may use AR tables while they are written.
  const auto& failed = plain_->report().failed_nodes;
  std::erase_if(adaptive_plan_.after, [&](const ArOp& op) {
    return std::ranges::find(failed, NodeId(op.sw)) != failed.end() ||
           (adaptive_off_ && adaptive_off_->failed_switches().contains(op.sw));
  });
  if (adaptive_plan_.after.empty() || in_.report.adaptive.ended) return false;
  go_on_with(adaptive_on_.emplace(adaptive_plan_.after, adaptive_plan_, *in_.memory.observed,
                                  in_.desired, in_.memory.ar, in_.ar_conf, in_.clock,
                                  in_.report.adaptive));
  return true;
}

bool ProgramStage::begin_vports() {
  if (in_.memory.observed->vports.hosts().empty()) return false;
  go_on_with(vports_.emplace(VportProgramming::Input{
      *in_.memory.observed, in_.desired.fabric, in_.desired.pkeys, in_.desired.reregister,
      in_.memory.moved_vports, in_.memory.vport_lids, in_.desired.aliases,
      in_.options.client_rereg}));
  return true;
}

bool ProgramStage::may_stop() const {
  return plain_ && !adaptive_on_ && adaptive_plan_.before.empty() && adaptive_plan_.after.empty();
}

void ProgramStage::stop() {
  if (const auto saved = record(); !saved)
    log::warn("M_Keys are not saved for later runs: {}", saved.error().message);
}

/// Fails if the M_Keys cannot be saved.
Status ProgramStage::record() {
  SubnetMemory& memory = in_.memory;
  if (vports_) {
    for (const Guid host :
         std::move(*vports_).conclude(memory.observed->vports, in_.clock.now(), in_.report.vports))
      memory.vport_pauses.failed(host, in_.clock.now());
    vports_.reset();
    memory.moved_vports.clear();
  }
  for (const PortId port : plain_->reregistered())
    memory.reregistrations.settle(memory.observed->fabric, port);
  for (const PortId port : plain_->taken_down())
    memory.link_changes.taken_down(*memory.observed, port);
  for (const NodeId node : plain_->report().failed_nodes)
    memory.held.forget(in_.desired.fabric.node(node).node_guid);
  return in_.key_store.save(in_.desired.fabric, in_.options.cache_dir, plain_->report().complete());
}

std::size_t ProgramStage::conclude() {
  const ApplyReport& applied = in_.report.applied = plain_->report();
  report_adaptive();
  report_unstored_values();
  if (const auto saved = record(); !saved)
    warn(in_.report, "M_Keys are not saved for later runs: " + saved.error().message);
  for (const std::string& failure : applied.failures) log::error("{}", failure);
  for (const std::string& refusal : applied.refusals) warn(in_.report, refusal);
  for (const std::string& failure : in_.report.vports.failures) warn(in_.report, failure);
  return plain_->taken_down().size();
}

/// Logs the number of ports that do not store Set values only if it is higher than ever before,
/// because the number changes whenever links go down and up.
void ProgramStage::report_unstored_values() {
  const std::size_t count = in_.memory.held.ports().count();
  in_.report.ports_with_unstored_values = count;
  if (count <= in_.memory.ports_with_unstored_values) return;
  in_.memory.ports_with_unstored_values = count;
  log::info(
      "{} ports do not store values of PortInfo: these values are not Set again; for example {}",
      count, in_.memory.held.ports().example(in_.desired.fabric));
}

void ProgramStage::report_adaptive() {
  ArReport& report = in_.report.adaptive;
  report.on = in_.memory.ar.count_on();
  report.notifying = in_.memory.ar.count_notifying();
  report.private_switches = in_.memory.ar.count_private();
  for (const std::string& failure : report.failures) warn(in_.report, failure);
  for (const std::string& refusal : report.refusals) warn(in_.report, refusal);
  if (report.refused > report.refusals.size())
    warn(in_.report, fmt::format("{} further settings of HBF and pFRN are refused by switches",
                                 report.refused - report.refusals.size()));
  if (report.ended)
    warn(in_.report,
         fmt::format("adaptive routing: more than {} errors within {} s: disabled on all switches "
                     "without an error until the next heavy sweep",
                     in_.ar_conf.max_errors, in_.ar_conf.error_window_s));
  if (report.groups + report.copies + report.entries + report.notifications + report.weights +
          report.private_blocks + report.errors ==
      0)
    return;
  log::info(
      "adaptive routing: on at {} switches, fault notification at {}; {} blocks of "
      "groups, {} of entries, {} of notifications and {} of weights written, {} copies of groups",
      report.on, report.notifying, report.groups, report.entries, report.notifications,
      report.weights, report.copies);
  if (report.private_blocks > 0)
    log::info("adaptive routing: private tables in use at {} switches; {} blocks written",
              report.private_switches, report.private_blocks);
  if (const auto status = log_adaptive(in_.ar_conf, report); !status)
    warn(in_.report, status.error().message);
}

}  // namespace weft
