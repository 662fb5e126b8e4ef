// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/sweep.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sm/devices/recovery.h"
#include "sm/devices/sharp.h"
#include "sm/health/health_watch.h"
#include "sm/load/load_decision.h"
#include "sm/planes/fnm_ports.h"
#include "sm/sweep/assign_lids.h"
#include "sm/sweep/publish.h"

namespace weft {
namespace {

constexpr TimeNs kLinksTrain = std::chrono::seconds(3);  // time that a link may take to train
// Number of arrivals that step() dispatches in one call: each call has a cost for the other
// activities of the process.
constexpr unsigned kArrivalsAtATime = 32;

}  // namespace

void Sweep::run(SmpWork& work, Finish finish) {
  work_ = &work;
  finish_ = finish;
}

Sweep::Event Sweep::step(TimeNs deadline) {
  for (unsigned i = 0; sm_.client.step(*work_, deadline); ++i)
    if (i == kArrivalsAtATime || sm_.client.has_unsolicited()) return Event::kNone;
  if (work_->advance()) return Event::kNone;
  return (this->*std::exchange(finish_, nullptr))();
}

void Sweep::cancel() {
  finish_ = nullptr;
  is_update_ = false;
  programming_.reset();
  planning_.reset();
  reading_.reset();
  vports_.reset();
  planes_.reset();
  end_settings();
  local_changes_.reset();
  clearing_.reset();
  discovery_.reset();
  dependencies_.reset();
}

// ---- Begin

void Sweep::begin_full() {
  count_from_here(*sm_.schedule.heavy_reason);
  discover_again();
}

void Sweep::count_from_here(std::string reason) {
  sm_.report = {};
  sm_.report.reason = std::move(reason);
  sm_.occurrences.add(SweepBegun{sm_.report.reason});
  counts_before_ = sm_.client.counts();
  sweep_watch_ = stage_watch_ = Stopwatch();
  sm_.schedule.retry_at = TimeNs::max();
}

DiscoverStage::Input Sweep::discovery_input() {
  return {sm_.keys, sm_.options, sm_.memory, clears_changes_};
}

Sweep::Event Sweep::discover_again() {
  // Traps from here on apply to the fabric being discovered.
  sm_.schedule.begin_discovery();
  // The other changes are read by discovery.
  sm_.memory.changed_hierarchy.merge(sm_.updates.take_local_changes().hierarchy);
  clears_changes_ = sm_.state == SmState::kMaster || sm_.options.ignore_other_sm;
  run(discovery_.emplace(discovery_input()), &Sweep::finish_discovery);
  return Event::kNone;
}

void Sweep::begin_incremental() {
  const bool is_possible =
      sm_.state == SmState::kMaster && may_discover_incrementally(sm_.memory, sm_.report);
  if (!is_possible) return sm_.request_heavy_sweep(sm_.schedule.change);
  count_from_here(sm_.schedule.change);
  clears_changes_ = true;
  run(discovery_.emplace(discovery_input(), std::exchange(sm_.schedule.changed_switches, {})),
      &Sweep::finish_discovery);
}

void Sweep::begin_update(const std::string& reason, bool reads_local_changes) {
  report_before_ = std::exchange(sm_.report, {});
  update_begun_ = sm_.now();
  sm_.report.reason = reason;
  counts_before_ = sm_.client.counts();
  sweep_watch_ = stage_watch_ = Stopwatch();
  is_update_ = true;
  if (reads_local_changes && !sm_.updates.local_changes().empty()) {
    changes_to_read_ = sm_.updates.take_local_changes();
    sm_.memory.changed_hierarchy.merge(changes_to_read_.hierarchy);
    return run(local_changes_.emplace(*sm_.memory.observed, changes_to_read_),
               &Sweep::finish_reading_local_changes);
  }
  changes_to_read_ = {};
  read_vports();
}

/// Parts that were not done stay requested. The next sweep or update reads the tables of nodes with
/// unanswered Sets again.
void Sweep::interrupt_update() {
  if (!is_busy() || !is_update_ || (programming_ && !programming_->may_stop())) return;
  log::info("Update interrupted: links changed");
  sm_.client.abandon(*work_, Error{Code::kTimeout, "was interrupted"});
  if (programming_) programming_->stop();
  if (local_changes_ || vports_) sm_.updates.add(changes_to_read_, sm_.now());
  cancel();
  planned_ = {};
  sm_.report = std::move(report_before_);
  sm_.updates.request(sm_.now());
}

// ---- Discovery

bool Sweep::takes_change(std::optional<Guid> sw) {
  if (!is_busy() || !discovery_) return false;
  discovery_->on_change(sw);
  return true;
}

Sweep::Event Sweep::finish_discovery() {
  std::vector<std::string> reasons;
  const auto outcome = discovery_->conclude(sm_.report, reasons);
  DiscoverStage done = std::move(*discovery_);
  discovery_.reset();
  for (std::string& reason : reasons) sm_.request_heavy_sweep(std::move(reason));
  if (outcome == DiscoverStage::Outcome::kFailed) return abandon(done.failure());
  if (outcome == DiscoverStage::Outcome::kAgain) return discover_again();
  sm_.report.seconds.observe = stage_watch_.seconds();
  SubnetMemory& memory = sm_.memory;
  Observed observed = std::move(done).observed();
  separate_fnm_links(observed, *memory.planar);
  observe_health(sm_, memory.observed ? &*memory.observed : nullptr, observed);
  store_observation(std::move(observed), memory, sm_.report);
  if (sm_.options.exit_on_fatal && !memory.observed->shared_guids.empty()) {
    fatal_ = Error{Code::kEnvironment, memory.observed->shared_guids.front() +
                                           ": GUIDs must be unique (exit_on_fatal, -y)"};
    abandon(*fatal_);
    return Event::kFatal;
  }
  report_degraded_links(memory, sm_.report);
  if (const auto isolated = isolation(*memory.observed)) {
    memory.held.forget_all();  // another manager may have been master
    memory.reregistrations.require_all();
    return abandon(*isolated);
  }
  return Event::kElection;
}

/// Continues the sweep after the election, in which this manager became or stayed master.
Sweep::Event Sweep::continue_as_master() {
  if (clears_changes_) return read_vports();
  run(clearing_.emplace(*sm_.memory.observed), &Sweep::finish_clearing);
  return Event::kNone;
}

Sweep::Event Sweep::finish_clearing() {
  for (const std::string& warning : clearing_->warnings()) sm_.warn(warning);
  const std::string change = clearing_->change();
  clearing_.reset();
  if (change.empty()) return read_vports();
  log::info("{} after discovery: discovering again", change);
  ++sm_.report.restarts;
  return discover_again();
}

Sweep::Event Sweep::finish_reading_local_changes() {
  const LocalChangeReading& reading = *local_changes_;
  Observed& observed = *sm_.memory.observed;
  for (const std::string& target : reading.silent()) log::warn("cannot read {}", target);
  if (reading.missed_a_port())
    sm_.schedule.heavy_at_next_light = "the capability mask of a port could not be read";
  for (const auto& [node, port, mask, mask2] : reading.capabilities()) {
    PortInfo& known = observed.nodes[node.value()].ports[port.value()];
    known.capability_mask = mask;
    known.capability_mask2 = mask2;
  }
  const auto renamed = rename(observed, reading.names(), sm_.options.node_names);
  local_changes_.reset();
  if (renamed) return read_vports();
  is_update_ = false;
  sm_.request_heavy_sweep("nodes were renamed");
  return Event::kNone;
}

// ---- Virtual ports

/// An update reads only the ports that announced changes. A late Set may have changed a vport to
/// ACTIVE before its attributes were read, so after such Sets a heavy sweep reads all attributes
/// again.
Sweep::Event Sweep::read_vports() {
  SubnetMemory& memory = sm_.memory;
  VportReading::Ports ports =
      is_update_ ? std::exchange(changes_to_read_.vports, {})
                 : vports_to_read(*memory.observed, sm_.options, memory.vport_pauses, sm_.now(),
                                  !sm_.report.discovered_incrementally,
                                  memory.first_as_master || memory.distrusts_held_tables);
  if (ports.empty() && memory.observed->vports.empty()) return read_planes();
  changes_to_read_.vports = ports;
  run(vports_.emplace(*memory.observed, sm_.options, ports), &Sweep::finish_reading_vports);
  return Event::kNone;
}

Sweep::Event Sweep::finish_reading_vports() {
  SubnetMemory& memory = sm_.memory;
  std::vector<std::string> warnings;
  auto found = std::move(*vports_).take();
  vports_.reset();
  changes_to_read_ = {};
  const auto moves = store_vports(std::move(found), *memory.observed, sm_.options,
                                  memory.vport_pauses, sm_.now(), warnings);
  for (const std::string& warning : warnings) sm_.warn(warning);
  memory.observed->vports.expire(sm_.now());
  log_vport_moves(moves);
  for (const VportMove& move : moves) {
    VportReport& report = sm_.report.vports;
    ++(!move.from ? report.appeared : !move.to ? report.gone : report.moved);
    if (move.from && move.to) memory.moved_vports.push_back(move.guid);
  }
  std::ranges::sort(memory.moved_vports);
  sm_.schedule.vports_expire_at = memory.observed->vports.next_expiry();
  return read_planes();
}

// ---- Planes

Sweep::Event Sweep::read_planes() {
  SubnetMemory& memory = sm_.memory;
  sm_.report.planes = memory.plane_report;
  const std::set<Guid> changed = std::exchange(memory.changed_hierarchy, {});
  std::optional<std::set<Guid>> queried;  // all devices of a heavy sweep
  if (is_update_) {
    queried = changed;
    queried->merge(fnm_ports_to_retry(*memory.observed, memory.plane_pauses.fnm, sm_.now()));
    if (queried->empty()) return read_tables();
  }
  if (!changed.empty()) {
    auto devices = *memory.planar;
    for (const Guid guid : changed)
      if (const auto known = devices.find(guid); known != devices.end())
        forget_hierarchy(known->second);
    memory.planar = std::make_shared<const PlanarDevices>(std::move(devices));
  }
  if (!is_update_) memory.announced.begin_sweep(*memory.observed, sm_.options, sm_.now());
  planes_.emplace(*memory.observed, *memory.planar, memory.announced, memory.plane_pauses,
                  sm_.now(), queried);
  if (planes_->is_empty()) return finish_reading_planes();
  run(*planes_, &Sweep::finish_reading_planes);
  return Event::kNone;
}

Sweep::Event Sweep::finish_reading_planes() {
  SubnetMemory& memory = sm_.memory;
  std::vector<std::string> warnings;
  memory.planar = std::make_shared<const PlanarDevices>(std::move(*planes_).take(warnings));
  planes_.reset();
  if (!is_update_)
    separate_fnm_links(*memory.observed, *memory.planar);
  else if (has_other_fnm_ports(*memory.observed, *memory.planar))
    sm_.request_heavy_sweep("FNM ports of switches changed");
  memory.plane_report = check_planes(*memory.observed, *memory.planar, warnings);
  sm_.report.planes = memory.plane_report;
  for (const std::string& warning : warnings) sm_.warn(warning);
  return is_update_ ? read_tables() : configure_sharp();
}

// ---- Settings of devices

Sweep::Event Sweep::program_settings(DevicePauses& pauses, SettingReport& report, Finish finish) {
  SubnetMemory& memory = sm_.memory;
  setting_programming_.emplace(*memory.observed, *settings_, memory.announced, pauses, sm_.now(),
                               report);
  if (setting_programming_->is_empty()) return (this->*finish)();
  run(*setting_programming_, finish);
  return Event::kNone;
}

void Sweep::end_settings() {
  setting_programming_.reset();
  settings_.reset();
}

Sweep::Event Sweep::configure_sharp() {
  SubnetMemory& memory = sm_.memory;
  settings_ = std::make_unique<SharpSettings>(*memory.observed, sm_.options, memory.announced,
                                              sm_.report.sharp);
  return program_settings(memory.sharp_pauses, sm_.report.sharp, &Sweep::finish_configuring_sharp);
}

Sweep::Event Sweep::finish_configuring_sharp() {
  end_settings();
  const SharpReport& report = sm_.report.sharp;
  for (const std::string& failure : report.failures) sm_.warn(failure);
  if (report.written > 0)
    log::info("SHARP: the setting of {} switches changed; {} of {} have it enabled", report.written,
              report.enabled, report.capable);
  return configure_recovery();
}

Sweep::Event Sweep::configure_recovery() {
  SubnetMemory& memory = sm_.memory;
  settings_ = std::make_unique<RecoverySettings>(*memory.observed, sm_.options);
  return program_settings(memory.recovery_pauses, sm_.report.recovery,
                          &Sweep::finish_configuring_recovery);
}

Sweep::Event Sweep::finish_configuring_recovery() {
  end_settings();
  const SettingReport& report = sm_.report.recovery;
  for (const std::string& failure : report.failures) sm_.warn(failure);
  if (report.written > 0)
    log::info("recovery of ports: {} settings changed; {} switches have such settings",
              report.written, report.capable);
  return read_tables();
}

// ---- Routes and tables

Sweep::Event Sweep::read_tables() {
  sm_.report.seconds.observe = stage_watch_.seconds();  // includes the election
  stage_watch_ = Stopwatch();
  run(reading_.emplace(sm_.memory, sm_.options, is_update_), &Sweep::finish_reading_tables);
  return Event::kNone;
}

Sweep::Event Sweep::finish_reading_tables() {
  auto [blocks_read, ar_conf] = reading_->output();
  reading_.reset();
  ar_conf_ = std::move(ar_conf);
  sm_.report.table_blocks_read = blocks_read;
  sm_.report.seconds.read_tables = stage_watch_.seconds();
  auto fabric = assign_lids(sm_.options, sm_.memory, sm_.report);
  if (!fabric) return abandon(fabric.error());
  recall_weights(sm_);
  IncrementalVerifier verifier(sm_.memory.proved_routes(), sm_.options.compare_verifications);
  auto found = find_routes(
      {*sm_.memory.observed, *fabric, sm_.options, ar_conf_, sm_.memory, sm_.updates, verifier},
      sm_.report);
  if (!found) return abandon(found.error());
  verdict_ = std::move(found->verdict);
  dependencies_ = std::move(found->dependencies);
  stage_watch_ = Stopwatch();
  planning_.emplace(PlanStage::Input{sm_.memory, sm_.options, sm_.report, std::move(*fabric),
                                     std::move(found->routes), verdict_, sm_.updates.aliases(),
                                     dependencies_ ? &*dependencies_ : nullptr});
  sm_.report.seconds.diff = stage_watch_.seconds();
  stage_watch_ = Stopwatch();
  run(*planning_, &Sweep::finish_planning);
  return Event::kNone;
}

Sweep::Event Sweep::finish_planning() {
  sm_.report.seconds.read_tables += stage_watch_.seconds();
  planned_ = planning_->output();
  planning_.reset();
  stage_watch_ = Stopwatch();
  programming_.emplace(ProgramStage::Input{sm_.memory, sm_.options, sm_.keys, sm_.key_store,
                                           sm_.clock, ar_conf_, *planned_.desired, *planned_.plan,
                                           sm_.report, is_update_});
  run(*programming_, &Sweep::finish_programming);
  return Event::kNone;
}

Sweep::Event Sweep::finish_programming() {
  SweepReport& report = sm_.report;
  report.seconds.apply = stage_watch_.seconds();
  const std::size_t taken_down = programming_->conclude();
  programming_.reset();
  const std::size_t obstacles = planned_.plan->obstacles.size();
  const bool applied = report.applied.complete() && obstacles == 0;
  planned_.plan.reset();
  sm_.memory.first_as_master = false;
  sm_.memory.was_standby = false;
  if (report.adaptive.is_division_refused) {
    sm_.memory.routing_changed = true;
    sm_.schedule.heavy_at_next_light = "a switch with divided groups refused HBF";
  }
  report.up = applied && taken_down == 0;
  if (applied && !report.up)
    report.error = fmt::format(
        "{} links were taken down to change NeighborMTU or OperationalVLs and are retraining",
        taken_down);
  if (!applied)
    report.error = fmt::format(
        "{} settings failed, {} were not sent, {} to arm or activate ports were held back, {} "
        "exceed limits of the hardware",
        report.applied.failed, report.applied.skipped, report.applied.held_back, obstacles);
  const bool is_update = is_update_;
  if (applied && !is_update && !report.routes_reused)
    log::info("{} tables configured on all switches", planned_.desired->routes.engine);
  end();
  const auto desired = std::move(planned_.desired);
  auto managers = mastership_.known_managers(desired->fabric, sm_.memory.observed->self_endport);
  publish({sm_.memory, sm_.options, std::move(*desired), std::move(verdict_),
           std::exchange(dependencies_, std::nullopt), std::move(managers), heavy_sweeps_},
          report);
  report_end(is_update, applied);
  return Event::kNone;
}

void Sweep::report_end(bool is_update, bool is_applied) {
  const SweepReport& report = sm_.report;
  if (report.up && is_update && report.applied.done_in(Phase::kPkeys) > 0)
    log::info("{} blocks of P_Key tables configured", report.applied.done_in(Phase::kPkeys));
  if (report.up && is_update) {
    log::info("Multicast trees of {} groups and alias GUIDs of {} ports configured",
              sm_.memory.planned_groups->size(), sm_.updates.aliases().size());
  } else if (report.up) {
    log::info("SUBNET UP");
  } else if (is_applied) {
    log::info("{}", report.error);
  } else {
    log::error("Errors during initialization: {}", report.error);
  }
}

// ---- End

Sweep::Event Sweep::abandon(const Error& error) {
  sm_.report.error = error.message;
  log::error("the {} failed: {}", is_update_ ? "update" : "sweep", error.message);
  sm_.client.abandon();
  if (sm_.memory.observed) sm_.memory.link_changes.follow(*sm_.memory.observed);
  end();
  return Event::kNone;
}

void Sweep::end() {
  SweepReport& report = sm_.report;
  Schedule& schedule = sm_.schedule;
  const bool is_update = std::exchange(is_update_, false);
  ++(is_update ? updates_ : heavy_sweeps_);
  if (is_update) sm_.updates.pause_after(sm_.now() - update_begun_, sm_.now());
  if (!is_update) {
    sm_.memory.refusing_nodes = report.applied.refusing_nodes;
    end_health_sweep(sm_, PortHealth::Sweep::kFull);
  }
  sm_.result = {report.up, report.error};
  report.smps = sm_.client.counts() - counts_before_;
  report.seconds.total = sweep_watch_.seconds();
  if (!is_update) {
    sm_.occurrences.add(SweepEnded{report.up, report.error});
    schedule.next_light = sm_.now() + sm_.options.sweep_interval;
  }
  if (!report.up)
    schedule.retry_at =
        sm_.now() + schedule.failure_pause.next_pause(report.applied, sm_.options.sweep_interval);
  if (sm_.memory.link_changes.is_awaiting())
    schedule.retry_at = std::min(schedule.retry_at, sm_.now() + kLinksTrain);
  if (!sm_.updates.local_changes().empty()) sm_.updates.request(sm_.now());
  log::debug(
      "sweep {}: {} SMPs ({} retries, {} timeouts), {} table blocks read, {} written, "
      "{:.3f} s",
      heavy_sweeps_, report.smps.sent, report.smps.retried, report.smps.timed_out,
      report.table_blocks_read, report.table_blocks_written(), report.seconds.total);
}

}  // namespace weft
