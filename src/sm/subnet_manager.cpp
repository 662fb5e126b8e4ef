// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/subnet_manager.h"
#include "sm/load/load_decision.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "sm/context.h"
#include "sm/devices/general_info.h"
#include "sm/discovery/light_sweep.h"
#include "sm/election/mastership.h"
#include "sm/health/health_watch.h"
#include "sm/planes/fnm_ports.h"
#include "sm/sweep/sweep.h"
#include "sm/traps/traps.h"

namespace weft {

SubnetManager::SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options)
    : sm_(std::make_unique<SmContext>(transport, clock, std::move(options))),
      mastership_(std::make_unique<Mastership>(*sm_)),
      traps_(std::make_unique<Traps>(*sm_)),
      sweep_(std::make_unique<Sweep>(*sm_, *mastership_)) {
  if (sm_->options.sm_inactive) {
    sm_->state = SmState::kNotActive;
    sm_->schedule.heavy_reason.reset();
  }
  sm_->memory.health.configure(sm_->options.health, sm_->now());
  log::info("Entering {} state", name(sm_->state));
}

SubnetManager::~SubnetManager() = default;

// ---- Activities

void SubnetManager::step() {
  constexpr TimeNs kIdleStep = std::chrono::milliseconds(100);
  step(sm_->now() + kIdleStep);
}

void SubnetManager::step(TimeNs deadline) {
  if (stopped()) return;
  answer_unsolicited();
  if (sm_->client.take_link_change() && sm_->options.sweep_on_trap)
    react({TrapEffect::kSweepAtOnce, "link change of a port of the manager's CA"});
  for (const PortSwitching& order : react_to_health(*sm_))
    traps_->switch_port(order.end, order.enable);
  if (mastership_->is_busy()) return step_mastership(deadline);
  if (sweep_->is_busy()) return step_sweep(deadline);
  if (traps_->is_busy()) return traps_->step(deadline);
  if (!light_) return watch(deadline);
  if (!sm_->client.step(*light_, deadline)) finish_light_sweep();
}

bool SubnetManager::is_idle() const {
  return !stopped() && !mastership_->is_busy() && !sweep_->is_busy() && !traps_->is_busy() &&
         !light_;
}

/// Drops work in progress. Answers to outstanding SMPs are received for at most one timeout.
void SubnetManager::cancel() {
  sm_->client.wind_up(sm_->now() + sm_->options.transaction_timeout);
  mastership_->cancel();
  sweep_->cancel();
  traps_->cancel();
  light_.reset();
  reason_reading_.reset();
  general_info_retry_.reset();
}

void SubnetManager::step_sweep(TimeNs deadline) {
  switch (sweep_->step(deadline)) {
    case Sweep::Event::kNone:
      return;
    case Sweep::Event::kElection: {
      const auto outcome = mastership_->begin_election();
      if (outcome == Mastership::Outcome::kMaster) sweep_->continue_as_master();
      if (outcome == Mastership::Outcome::kRediscover) sweep_->discover_again();
      return;
    }
    case Sweep::Event::kFatal:
      return stop();
  }
}

void SubnetManager::step_mastership(TimeNs deadline) {
  switch (mastership_->step(deadline)) {
    case Mastership::Outcome::kOngoing:
    case Mastership::Outcome::kIdle:
      return;
    case Mastership::Outcome::kMaster:
      sweep_->continue_as_master();
      return;
    case Mastership::Outcome::kRefused:
      sweep_->abandon(mastership_->refusal());
      return;
    case Mastership::Outcome::kRediscover:
      sweep_->discover_again();
      return;
    case Mastership::Outcome::kNoSuccessor:
      return stop();
  }
}

/// Between activities: begins the next activity that is due, or waits.
void SubnetManager::watch(TimeNs deadline) {
  handover_due_ = handover_due_ && sm_->state == SmState::kMaster;
  if (mastership_->attend(deadline)) return;
  if (std::exchange(handover_due_, false) && !mastership_->is_alone())
    return mastership_->stand_by_after_handover();
  if (const auto port = std::exchange(manager_to_query_, std::nullopt))
    return mastership_->query_manager(*port);
  Schedule& schedule = sm_->schedule;
  const TimeNs now = sm_->now();
  if (!schedule.sweeping) return sm_->client.wait(deadline);
  if (schedule.heavy_reason) {
    schedule.light_in_a_row = 0;
    return sweep_->begin_full();
  }
  if (traps_->begin_switching()) return;
  if (now >= schedule.deferred_sweep_at) {
    schedule.deferred_sweep_at = TimeNs::max();
    return request_heavy_sweep("changes during a trap storm");
  }
  if (!schedule.changed_switches.empty()) return sweep_->begin_incremental();
  if (now >= schedule.retry_at)
    return request_heavy_sweep("the last sweep failed, or links that it took down retrain");
  if (now >= sm_->key_store.retry_at()) {
    if (sm_->key_store.retry(sm_->options.cache_dir, now))
      request_heavy_sweep("M_Keys can be saved again");
    return;
  }
  if (now >= schedule.vports_expire_at) {
    schedule.vports_expire_at = TimeNs::max();
    sm_->updates.request(now);
  }
  if (now >= sm_->updates.due_at()) return begin_update();
  const bool light = sm_->options.sweep_interval.count() > 0;
  if (light && now >= schedule.next_light) return begin_light_sweep();
  deadline =
      std::min({deadline, schedule.retry_at, schedule.deferred_sweep_at, schedule.vports_expire_at,
                sm_->key_store.retry_at(), sm_->updates.due_at()});
  sm_->client.wait(light ? std::min(deadline, schedule.next_light) : deadline);
}

/// Begins an update; after an incomplete sweep a full sweep is due instead.
void SubnetManager::begin_update() {
  sm_->updates.begin();
  const std::string why = sm_->updates.reason();
  if (!sm_->memory.snapshot || !sm_->memory.observed || !sm_->report.up)
    return request_heavy_sweep(why);
  sweep_->begin_update(why, true);
}

// ---- Light sweeps

bool SubnetManager::heavy_sweep_due() const {
  return sm_->schedule.heavy_at_next_light.has_value() ||
         sm_->schedule.doubtful_sets.any(sm_->client.counts());
}

void SubnetManager::begin_light_sweep() {
  sm_->schedule.next_light = sm_->now() + sm_->options.sweep_interval;
  if (sm_->options.force_heavy_sweep) return request_heavy_sweep("force_heavy_sweep");
  if (const unsigned window = sm_->options.force_heavy_sweep_window;
      window > 0 && sm_->schedule.light_in_a_row >= window)
    return request_heavy_sweep("force_heavy_sweep_window");
  if (sm_->schedule.heavy_at_next_light)
    return request_heavy_sweep(*sm_->schedule.heavy_at_next_light);
  if (const SmpCounts& counts = sm_->client.counts();
      sm_->schedule.doubtful_sets.are_due(counts, sm_->now())) {
    sm_->schedule.doubtful_sets.settle_by_sweep(counts, sm_->now(), sm_->options.sweep_interval);
    sm_->memory.distrusts_held_tables = true;
    return request_heavy_sweep("late Sets may have overwritten newer ones");
  }
  if (!sm_->memory.observed) return;  // nothing discovered yet: retry_at applies
  if (!fnm_ports_to_retry(*sm_->memory.observed, sm_->memory.plane_pauses.fnm, sm_->now()).empty())
    sm_->updates.request(sm_->now());
  ++light_sweeps_;
  ++sm_->schedule.light_in_a_row;
  light_ = std::make_unique<LightSweep>(*sm_->memory.observed);
  light_->use_pauses(sm_->memory.retry_pauses, sm_->now());
  light_->watch_vports();
  for (const Guid port :
       vports_to_retry(*sm_->memory.observed, sm_->memory.vport_pauses, sm_->now()))
    sm_->updates.request_vports(port, false, sm_->now(), TimeNs{0});
  general_info_retry_ =
      std::make_unique<GeneralInfoRetry>(*sm_->memory.observed, sm_->memory.announced, sm_->now());
  light_->add(*general_info_retry_);
  if (SubnetMemory& memory = sm_->memory; memory.health.is_on()) {
    reason_reading_ = std::make_unique<ReasonReading>(
        *memory.observed, memory.reasons, memory.health.reports(), memory.announced, sm_->now());
    light_->add(*reason_reading_);
  }
  if (sm_->options.light_sweep_spst) light_->watch_port_states(sm_->memory.port_states, sm_->now());
}

void SubnetManager::finish_light_sweep() {
  const auto light = std::move(light_);
  const auto general_info = std::move(general_info_retry_);
  if (const auto reasons = std::move(reason_reading_)) take_reasons(*sm_, *reasons);
  for (const Guid port : light->changed_vports())
    sm_->updates.request_vports(port, false, sm_->now(), TimeNs{0});
  if (light->change().empty() && !general_info->change().empty())
    return request_heavy_sweep(general_info->change());
  if (light->change().empty()) {
    end_health_sweep(*sm_, PortHealth::Sweep::kLight);
    return mastership_->requery_managers();
  }
  for (const std::string& name : light->answering())
    sm_->memory.retry_pauses.answered(name, sm_->now(), sm_->options.sweep_interval);
  // An incremental sweep follows if switches report changes, even if a node did not answer: the
  // node may be behind a changed link.
  if (light->changed_switches().empty()) return request_heavy_sweep(light->change());
  const Fabric& fabric = sm_->memory.observed->fabric;
  for (const NodeId sw : light->changed_switches())
    on_port_change(light->change(), fabric.node(sw).node_guid);
}

// ---- Traps and requests

void SubnetManager::answer_unsolicited() {
  while (const auto smp = sm_->client.take_unsolicited()) {
    if (smp->method == Method::kTrap && smp->attribute == AttributeId::kNotice) {
      react(traps_->on_trap(*smp, sweep_->is_busy()));
    } else if (smp->method == Method::kGet || smp->method == Method::kSet) {
      mastership_->on_request(*smp);
    }
  }
}

void SubnetManager::react(const TrapReaction& reaction) {
  SubnetMemory& memory = sm_->memory;
  Schedule& schedule = sm_->schedule;
  const bool own = memory.is_own_lid(reaction.from);  // sent by the manager's own port
  switch (reaction.effect) {
    case TrapEffect::kNone:
      return;
    case TrapEffect::kReadName:
    case TrapEffect::kReadCapabilities:
    case TrapEffect::kReadVports:
    case TrapEffect::kReadVportDetails:
    case TrapEffect::kReadVportDetailsAndHierarchy:
      return note_local_change(reaction);
    case TrapEffect::kReadReasons:
      return request_reasons(*sm_, reaction.from, reaction.at);
    case TrapEffect::kLightSweep:
      return request_light_sweep();
    case TrapEffect::kHeavyAtNextLightSweep:
      if (own) return;
      if (reaction.at > TimeNs(0)) return schedule.defer_sweep(reaction.at);
      schedule.heavy_at_next_light = reaction.what;
      return;
    case TrapEffect::kQueryManagers:
      if (own || !memory.observed) return;
      if (reaction.at > TimeNs(0)) return schedule.defer_sweep(reaction.at);
      if (!sweep_->is_discovering()) return request_heavy_sweep(reaction.what);
      schedule.heavy_at_next_light = reaction.what;
      return;
    case TrapEffect::kSweepAtOnce: {
      if (reaction.at > TimeNs(0)) return schedule.defer_sweep(reaction.at);
      const TimeNs now = sm_->now();
      const bool begins = schedule.changed_switches.empty() && !schedule.heavy_reason;
      if (begins && !schedule.trap_sweeps.take(now))
        return schedule.defer_sweep(schedule.trap_sweeps.next(now));
      return on_port_change(reaction.what, memory.switch_at(reaction.from));
    }
  }
}

/// Records a change that the sender of a trap announced; the sender is a port of the active fabric.
void SubnetManager::note_local_change(const TrapReaction& reaction) {
  const Fabric& fabric = *sm_->memory.active_fabric();
  const Endport& endport = fabric.endport(sm_->memory.endport_with(reaction.from));
  const bool hierarchy = reaction.effect == TrapEffect::kReadVportDetailsAndHierarchy;
  const bool details = hierarchy || reaction.effect == TrapEffect::kReadVportDetails;
  const Guid node = fabric.node(endport.node).node_guid;
  if (hierarchy && sm_->memory.planar->contains(node))
    sm_->updates.request_hierarchy(node, sm_->now(), reaction.at);
  if (details || reaction.effect == TrapEffect::kReadVports) {
    const Guid port = fabric.port(endport.port).guid;
    const auto& observed = sm_->memory.observed;
    if (observed && observed->vports.host(port) != nullptr)
      sm_->updates.request_vports(port, details, sm_->now(), reaction.at);
  } else if (reaction.effect == TrapEffect::kReadName) {
    sm_->updates.request_name(node, sm_->now(), reaction.at);
  } else {
    sm_->updates.request_capabilities(fabric.port(endport.port).guid, sm_->now(), reaction.at);
  }
}

/// `sw`: the switch that reports the change, if known.
void SubnetManager::on_port_change(const std::string& what, std::optional<Guid> sw) {
  if (sweep_->takes_change(sw)) return;
  sweep_->interrupt_update();
  Schedule& schedule = sm_->schedule;
  if (!sw || !sm_->memory.snapshot || schedule.heavy_reason || sm_->options.force_heavy_sweep)
    return request_heavy_sweep(what);
  if (schedule.changed_switches.empty()) {
    schedule.change = what;
    log::info("Incremental sweep: {}", what);
  }
  schedule.changed_switches.insert(*sw);
}

// ---- Requests

bool SubnetManager::settled() const {
  if (stopped()) return true;
  const Schedule& schedule = sm_->schedule;
  const bool is_passive = sm_->state == SmState::kStandby || sm_->state == SmState::kNotActive;
  return is_idle() && !schedule.heavy_reason && schedule.changed_switches.empty() &&
         (is_passive ||
          (!sm_->memory.health.has_changes() && !sm_->memory.link_changes.is_awaiting() &&
           !sm_->updates.is_pending() && heavy_sweeps() > 0));
}

void SubnetManager::request_heavy_sweep(std::string why) {
  sm_->request_heavy_sweep(std::move(why));
}

void SubnetManager::request_full_discovery(std::string why) {
  sm_->memory.distrusts_held_tables = true;
  sm_->memory.held.ports().forget_all();
  sm_->memory.vport_pauses = {};
  sm_->memory.plane_pauses = {};
  sm_->memory.announced.forget_silence();
  request_heavy_sweep(std::move(why));
}

void SubnetManager::request_light_sweep() {
  if (sm_->state == SmState::kMaster && !stopped()) sm_->schedule.next_light = sm_->now();
}

void SubnetManager::request_reroute() {
  sm_->memory.routing_changed = true;
  request_heavy_sweep("reroute");
}

const SmOptions& SubnetManager::options() const { return sm_->options; }

bool SubnetManager::take_load_trial(const LoadTrial& trial) {
  CHECK(at_rest());
  return decide(*sm_, trial, load_aware_);
}

void SubnetManager::set_options(SmOptions options) {
  const SmOptions& before = sm_->options;
  const bool other_priority = options.sm_priority != before.sm_priority ||
                              options.master_sm_priority != before.master_sm_priority;
  options.reassign_lids = before.reassign_lids;  // applies to the first sweep only
  options.own_port_guid = before.own_port_guid;
  options.more_own_ports = before.more_own_ports;
  // Ports have the old key until the next sweep changes it, as after a restart.
  if (options.m_key != before.m_key)
    sm_->keys.recall(KeyMemory(sm_->keys.memory()), sm_->key_store.neighbors(),
                     {{Guid(0), before.m_key}});
  sm_->options = std::move(options);
  sm_->configure_keys();
  sm_->memory.health.configure(sm_->options.health, sm_->now());
  sm_->memory.routing_changed = true;
  if (other_priority) mastership_->priority_changed();
}

void SubnetManager::set_multicast_groups(std::vector<FiledGroup> groups) {
  sm_->updates.set_groups(std::move(groups), sm_->now());
}

void SubnetManager::change_multicast_groups(GroupChanges changes) {
  sm_->updates.change_groups(std::move(changes), sm_->now());
}

void SubnetManager::set_alias_guids(AliasGuids aliases) {
  sm_->updates.set_aliases(std::move(aliases), sm_->now());
}

void SubnetManager::set_sweeping(bool on) {
  if (sm_->schedule.sweeping == on) return;
  log::info("Sweeping is {}", on ? "on" : "off: changes of the fabric are ignored");
  sm_->schedule.sweeping = on;
}

bool SubnetManager::mark_healthy(Guid node, PortNum port) {
  return sm_->memory.health.mark_healthy({node, port});
}

const PortHealth::Ports& SubnetManager::unhealthy_ports() const {
  return sm_->memory.health.unhealthy();
}

void SubnetManager::set_priority(std::uint8_t priority) {
  if (sm_->options.sm_priority == priority && !sm_->handover_requested) return;
  log::info("Priority {}, was {}", priority, sm_->options.sm_priority);
  sm_->options.sm_priority = priority;
  mastership_->priority_changed();
}

void SubnetManager::stop() {
  if (stopped()) return;
  cancel();
  sm_->stopped = true;
}

/// A stopping master hands over, so that the standby does not wait until its polls fail.
void SubnetManager::stop_after_handover() {
  if (stopped() || mastership_->is_stopping()) return;
  if (sm_->state != SmState::kMaster || mastership_->is_alone()) return stop();
  cancel();
  mastership_->stop_after_handover();
}

void SubnetManager::hand_over() {
  if (sm_->state == SmState::kMaster && !stopped()) handover_due_ = true;
}

bool SubnetManager::stopping() const {
  return mastership_->is_stopping() && !stopped() && sm_->state == SmState::kMaster;
}

// ---- Partitions

bool SubnetManager::at_rest() const {
  if (!is_idle() || sm_->state != SmState::kMaster || !sm_->memory.snapshot ||
      !sm_->memory.observed)
    return false;
  if (mastership_->has_pending_acknowledgement() || mastership_->is_stopping() ||
      sm_->memory.link_changes.is_awaiting())
    return false;
  const Schedule& schedule = sm_->schedule;
  return !schedule.sweeping || (!schedule.heavy_reason && schedule.changed_switches.empty() &&
                                !traps_->has_ports_to_switch());
}

PkeyForecast SubnetManager::forecast_partitions(const PartitionFile& partitions) const {
  CHECK(at_rest());
  return forecast_pkeys(*sm_->memory.observed, sm_->options, sm_->memory.held.pkeys(),
                        sm_->updates.aliases(), partitions);
}

void SubnetManager::set_partitions(PartitionFile partitions, PartitionsChanged event) {
  CHECK(at_rest());
  partitions.port_groups = std::move(sm_->options.partitions.port_groups);
  log::info("Partitions change: {}", event.what);
  sm_->occurrences.add(std::move(event));
  sm_->options.partitions = std::move(partitions);
  sweep_->begin_update("partitions were changed", false);
}

const PartitionFile& SubnetManager::partitions() const { return sm_->options.partitions; }

// ---- Replication

LidMemory SubnetManager::lids() const { return sm_->memory.lids.known(); }
KeyMemory SubnetManager::m_keys() const { return sm_->key_store.all(); }
NeighborMemory SubnetManager::neighbors() const { return sm_->key_store.neighbors(); }
WeightMemory SubnetManager::measured_weights() const { return sm_->memory.weights.known(); }
GroupNumberMemory SubnetManager::group_numbers() const { return sm_->memory.group_numbers.known(); }
const std::set<SubnetManager::RegisteredPort>& SubnetManager::registered_ports() const {
  return sm_->memory.reregistrations.settled();
}

void SubnetManager::inherit_registrations(std::set<RegisteredPort> ports) {
  sm_->memory.reregistrations.inherit(std::move(ports));
}

void SubnetManager::recall_files() {
  sm_->key_store.recall(sm_->options.cache_dir, sm_->options.m_key_lookup);
  sm_->memory.forget_files();
}

std::optional<SubnetManager::PolledManager> SubnetManager::polled_manager() const {
  const Standby& standby = mastership_->standby();
  if (!standby.polled_manager()) return std::nullopt;
  return PolledManager{standby.polled_manager()->info.guid, standby.alive_at()};
}

void SubnetManager::query_polled_manager() { mastership_->query_polled_manager(); }

void SubnetManager::query_manager(Guid port) { manager_to_query_ = port; }

void SubnetManager::set_successor_check(std::function<bool(Guid)> may_succeed) {
  sm_->may_succeed = std::move(may_succeed);
}

// ---- State

bool SubnetManager::stopped() const { return sm_->stopped; }
const std::optional<Error>& SubnetManager::fatal() const { return sweep_->fatal(); }
bool SubnetManager::is_sweeping() const { return sm_->schedule.sweeping; }
std::uint64_t SubnetManager::heavy_sweeps() const { return sweep_->heavy_sweeps(); }
std::uint64_t SubnetManager::updates() const { return sweep_->updates(); }
const SweepReport& SubnetManager::last_report() const { return sm_->report; }
const SweepResult& SubnetManager::last_result() const { return sm_->result; }
std::shared_ptr<const Snapshot> SubnetManager::snapshot() const { return sm_->memory.snapshot; }
SmState SubnetManager::state() const { return stopped() ? SmState::kNotActive : sm_->state; }
std::uint8_t SubnetManager::priority() const { return sm_->options.sm_priority; }
std::optional<Guid> SubnetManager::own_guid() const { return mastership_->own_guid(); }
const std::vector<OtherManager>& SubnetManager::others() const { return mastership_->others(); }
const SmpCounts& SubnetManager::smp_counts() const { return sm_->client.counts(); }
std::vector<Occurrence> SubnetManager::take_occurrences() { return sm_->occurrences.take(); }
bool SubnetManager::has_occurrences() const { return !sm_->occurrences.empty(); }
std::vector<Notice> SubnetManager::take_traps() { return traps_->take(); }
std::size_t SubnetManager::occurrences_lost() const { return sm_->occurrences.lost(); }

}  // namespace weft
