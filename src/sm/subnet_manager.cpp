#include "sm/subnet_manager.h"

#include "base/file.h"
#include "base/log.h"
#include "routes/carry_over.h"
#include "routing/adaptive/engines.h"
#include "sm/discovery/throttled.h"
#include "sm/programming/diff.h"
#include "sm/qos/administered_lanes.h"
#include "verify/failure_text.h"

namespace weft {
namespace {

SmpClientOptions client_options(const SmOptions& options) {
  return {options.max_wire_smps, options.max_device_smps, options.transaction_timeout,
          options.transaction_retries};
}

}  // namespace

SubnetManager::SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options)
    : clock_(clock),
      options_(std::move(options)),
      client_(transport, clock, client_options(options_), &keys_) {
  recall_keys();
  if (options_.sm_inactive) {
    role_.state = SmState::kNotActive;
    heavy_reason_.reset();
  }
  log::info("Entering {} state", name(role_.state));
}

SubnetManager::~SubnetManager() = default;

bool SubnetManager::settled() const {
  if (stopped()) return true;
  const bool led = role_.state == SmState::kStandby || role_.state == SmState::kNotActive;
  return stage_ == Stage::kWatching && !heavy_reason_ && changed_switches_.empty() &&
         (led || !link_changes_.is_awaiting()) && (led || regroup_at_ == TimeNs::max()) &&
         (sweeps_ > 0 || led);
}

void SubnetManager::request_heavy_sweep(std::string why) {
  if (heavy_reason_ || stopped()) return;
  if (role_.state == SmState::kStandby || role_.state == SmState::kNotActive)
    return log::info("No sweep as {}: {}", name(role_.state), why);
  log::info("Heavy sweep: {}", why);
  heavy_reason_ = std::move(why);
}

void SubnetManager::request_full_look(std::string why) {
  distrusts_held_tables_ = true;
  request_heavy_sweep(std::move(why));
}

void SubnetManager::set_options(SmOptions options) {
  const bool other_priority = options.sm_priority != options_.sm_priority;
  options.reassign_lids = options_.reassign_lids;  // applies to the first sweep only
  // Ports hold the old key until the next sweep changes it, as after a restart.
  if (options.m_key != options_.m_key)
    keys_.recall(KeyMemory(keys_.memory()), neighbors_on_disk_, {{Guid(0), options_.m_key}});
  options_ = std::move(options);
  keys_.configure(options_.m_key);
  routing_changed_ = true;
  if (other_priority) priority_changed();
}

void SubnetManager::stop() {
  if (stopped()) return;
  client_.wind_up(clock_.now() + options_.transaction_timeout);
  applying_.reset();
  ar_reading_.reset();
  ar_programming_.reset();
  lane_reading_.reset();
  pkey_reading_.reset();
  stage_ = Stage::kStopped;
}

void SubnetManager::warn(const std::string& text) {
  log::warn("{}", text);
  report_.warnings.push_back(text);
}

void SubnetManager::step(TimeNs deadline) {
  if (stopped()) return;
  answer_unsolicited();
  switch (stage_) {
    case Stage::kDiscovering:
      if (!client_.step(*discovery_, deadline)) finish_discovery();
      return;
    case Stage::kIncrementalDiscovery:
      if (!client_.step(*incremental_discovery_, deadline) && !incremental_discovery_->advance())
        finish_incremental_discovery();
      return;
    case Stage::kIntroduction:
    case Stage::kHandingOver:
    case Stage::kPollingSuccessor:
    case Stage::kPolling:
    case Stage::kAcknowledging:
    case Stage::kDisablingPort:
      if (!client_.step(*role_.talk, deadline)) finish_talk();
      return;
    case Stage::kQueryingManagers:
      if (!client_.step(*role_.inquiry, deadline)) finish_manager_query();
      return;
    case Stage::kRequeryingManagers:
      if (!client_.step(*role_.inquiry, deadline)) finish_manager_requery();
      return;
    case Stage::kAwaitingHandover:
      await_handover(deadline);
      return;
    case Stage::kClearing:
      if (!client_.step(*role_.clearing, deadline)) finish_clearing();
      return;
    case Stage::kReadingLocalChanges:
      if (!client_.step(*local_reading_, deadline)) finish_reading_local_changes();
      return;
    case Stage::kReadingTables:
      if (!client_.step(*reading_, deadline)) finish_reading_tables();
      return;
    case Stage::kReadingAdaptive:
      if (!client_.step(*ar_reading_, deadline)) plan();
      return;
    case Stage::kReadingLanes:
      if (!client_.step(*lane_reading_, deadline)) begin_reading_pkeys();
      return;
    case Stage::kReadingPkeys:
      if (!client_.step(*pkey_reading_, deadline)) begin_apply();
      return;
    case Stage::kAdaptiveOff:
      if (!client_.step(*ar_programming_, deadline)) begin_programming();
      return;
    case Stage::kApplying:
      if (!client_.step(*applying_, deadline)) finish_programming();
      return;
    case Stage::kAdaptiveOn:
      if (!client_.step(*ar_programming_, deadline)) finish_sweep();
      return;
    case Stage::kLightSweep:
      if (!client_.step(*light_, deadline)) finish_light_sweep();
      return;
    case Stage::kWatching:
      watch(deadline);
      return;
    case Stage::kStopped:
      return;
  }
}

void SubnetManager::begin_sweep() {
  count_from_here(*heavy_reason_);
  begin_discovery();
}

void SubnetManager::count_from_here(std::string reason) {
  report_ = {};
  report_.reason = std::move(reason);
  occurrences_.add(SweepBegun{report_.reason});
  counts_before_ = client_.counts();
  sweep_watch_ = stage_watch_ = Stopwatch();
  retry_at_ = TimeNs::max();
}

void SubnetManager::begin_discovery() {
  // Traps from here on concern the fabric under discovery.
  heavy_reason_.reset();
  heavy_in_time_.reset();
  changed_switches_.clear();
  local_changes_ = {};
  changed_meanwhile_ = false;
  clears_changes_ = role_.state == SmState::kMaster || options_.ignore_other_sm;
  discovery_ = std::make_unique<Discovery>(keys_, clears_changes_);
  discovery_->use_names(options_.node_names);
  discovery_->query_fdr10(fdr10_devices());
  stage_ = Stage::kDiscovering;
}

/// A fabric that changed during discovery is discovered again, but not without end: two nodes with
/// the same GUID are contradictory each time.
bool SubnetManager::must_rediscover(const Observed& observed) {
  const bool doubtful = observed.contradictions > 0 && report_.restarts == 0;
  // Two nodes that share a GUID do so in the second discovery too; a moved node does not.
  const bool ends = options_.exit_on_fatal && !observed.shared_guids.empty() &&
                    observed.shared_guids != shared_guids_;
  shared_guids_ = observed.shared_guids;
  if (!changed_meanwhile_ && !doubtful && !ends) return false;
  if (report_.restarts == kRestartsMax) {
    request_heavy_sweep("the fabric keeps changing");
    return false;
  }
  ++report_.restarts;
  log::info("The fabric changed during discovery: discovering again");
  return true;
}

/// In every report, but in the log only when a link is new.
void SubnetManager::log_slow_links() {
  auto slow = slow_links(*observed_);
  const bool is_new = slow != slow_links_;
  for (std::size_t i = 0; i < std::min(slow.size(), kSlowLinksNamed); ++i) {
    if (is_new) log::warn("{}", slow[i]);
    report_.slow_links.push_back(slow[i]);
  }
  if (is_new && slow.size() > kSlowLinksNamed)
    log::warn("and {} more links below the capability of both ends", slow.size() - kSlowLinksNamed);
  slow_links_ = std::move(slow);
}

void SubnetManager::finish_discovery() {
  auto observed = std::move(*discovery_).result();
  discovery_.reset();
  if (!observed) return abandon_sweep(observed.error());
  if (must_rediscover(*observed)) return begin_discovery();
  store_discovery(std::move(*observed));
}

void SubnetManager::store_discovery(Observed observed) {
  report_.seconds.observe = stage_watch_.seconds();
  observed_ = std::move(observed);
  retry_pauses_.keep(*observed_);
  for (const std::string& warning : observed_->warnings) warn(warning);
  if (options_.exit_on_fatal && !observed_->shared_guids.empty()) {
    fatal_ = Error{Code::kEnvironment,
                   observed_->shared_guids.front() + ": GUIDs must be unique (exit_on_fatal, -y)"};
    abandon_sweep(*fatal_);
    return stop();
  }
  log_slow_links();
  if (observed_->self_endport == kNoEndport) {
    held_.forget_all();  // while we are cut off, another manager may be master for a time
    reregistrations_.require_all();
    return abandon_sweep(
        {Code::kEnvironment,
         fmt::format("the port of the subnet manager, {} port {}, has no reachable peer: {}",
                     describe(observed_->fabric.node(observed_->self)),
                     observed_->self_port.value(),
                     observed_->silent.empty() ? "it is down" : "its neighbor does not answer")});
  }
  query_managers();
}

void SubnetManager::read_tables() {
  report_.seconds.observe = stage_watch_.seconds();  // includes the election
  stage_watch_ = Stopwatch();
  // Of contradictory nodes it is unknown which one was written to, also in the next sweep.
  const bool contradicts = observed_->contradictions > 0 || !observed_->shared_guids.empty();
  if (std::exchange(distrusts_held_tables_, contradicts) || contradicts) held_.forget_all();
  held_.distrust(*observed_);
  ar_.distrust(*observed_, held_);
  reading_ = std::make_unique<TableReading>(*observed_, held_, Mkey(0));
  stage_ = Stage::kReadingTables;
}

void SubnetManager::plan() {
  report_.table_blocks_read = reading_->blocks_read();
  reading_.reset();
  ar_reading_.reset();
  report_.seconds.read_tables = stage_watch_.seconds();
  auto fabric = give_lids();
  if (!fabric) return abandon_sweep(fabric.error());
  log_fabric_changes(*fabric);
  if (!find_routes(*fabric)) return;

  stage_watch_ = Stopwatch();
  const Lid sm_lid = fabric->endport(observed_->self_endport).lid;
  desired_ = std::make_unique<Desired>(
      Desired{std::move(*fabric), std::move(routes_), sm_lid, {}, {}, {}, aliases_});
  desired_->reregister = ports_to_reregister(sm_lid);
  desired_->sm_sl = usable_sm_sl();
  desired_->to_take_down = links_to_take_down();
  desired_->lanes = plan_lanes(*observed_, desired_->fabric, desired_->routes, vl_limit(options_),
                               options_.qos, options_.use_optimized_slvl);
  for (const std::string& note : desired_->lanes.notes()) warn(note);
  report_.seconds.diff = stage_watch_.seconds();
  stage_watch_ = Stopwatch();
  lane_reading_ = std::make_unique<LaneReading>(*observed_, *desired_, held_, Mkey(0));
  stage_ = Stage::kReadingLanes;
}

std::vector<bool> SubnetManager::ports_to_reregister(Lid sm_lid) {
  reregistrations_.follow(*observed_, sm_lid);
  if (!options_.client_rereg) reregistrations_.waive(*observed_);
  std::vector<bool> owed(observed_->fabric.port_count());
  for (const Endport& endport : observed_->fabric.endports())
    owed[endport.port.value()] = reregistrations_.is_owed(*observed_, endport.port);
  return owed;
}

std::vector<PortId> SubnetManager::links_to_take_down() {
  link_changes_.follow(*observed_);
  std::vector<std::string> kept;
  auto ports = link_changes_.to_take_down(*observed_, desired_->fabric, vl_limit(options_), kept);
  for (const std::string& link : kept) warn(link);
  if (!ports.empty())
    log::info("{} links in use are taken down to change NeighborMTU or OperationalVLs",
              ports.size());
  return ports;
}

/// Routes without SLs are verified on SL 0; sm_sl is usable if the verifier found that all traffic
/// may use it.
std::uint8_t SubnetManager::usable_sm_sl() {
  const bool named = desired_->routes.path_sl.kind() != PathSl::Kind::kUniform;
  const bool safe = !verdict_.verified || (verdict_.single_sls >> options_.sm_sl & 1) != 0;
  if (named || safe || options_.sm_sl == 0) return options_.sm_sl;
  warn(
      fmt::format("sm_sl {}: packets on this SL could be discarded or deadlock, expected SL {}: "
                  "SL 0 is used",
                  options_.sm_sl, sl_ranges(verdict_.single_sls)));
  return 0;
}

void SubnetManager::begin_reading_pkeys() {
  lane_reading_.reset();
  pkey_reading_ =
      std::make_unique<PkeyReading>(*observed_, desired_->fabric, options_, held_, Mkey(0));
  stage_ = Stage::kReadingPkeys;
}

void SubnetManager::begin_apply() {
  pkey_reading_.reset();
  report_.seconds.read_tables += stage_watch_.seconds();
  stage_watch_ = Stopwatch();
  std::vector<std::string> warnings;
  desired_->pkeys = plan_pkeys(*observed_, desired_->fabric, options_, held_.pkeys(), warnings);
  for (const std::string& warning : warnings) warn(warning);
  plan_ = std::make_unique<Plan>(diff(*observed_, held_, *desired_, options_));
  for (const std::string& obstacle : plan_->obstacles) warn(obstacle);
  if (options_.safe_transitions) order_transition();
  report_.seconds.diff += stage_watch_.seconds();
  stage_watch_ = Stopwatch();
  announce_keys();
  plan_adaptive_routing();
}

void SubnetManager::order_transition() {
  RoutesBefore before;
  if (snapshot_) before = {&snapshot_->fabric, &snapshot_->routes};
  report_.transition =
      plan_transition(desired_->fabric, held_, desired_->routes, before, *plan_,
                      options_.routing.plain.threads, options_.routing.plain.ignore_replies);
  for (const std::string& warning : warnings_of(report_.transition)) warn(warning);
  if (report_.transition.ordered_lids > 0)
    spdlog::info(
        "table update in {} rounds with {} partial writes, ordered to keep {} LIDs free of loops",
        report_.transition.rounds, report_.transition.extra_writes,
        report_.transition.ordered_lids);
}

Result<Fabric> SubnetManager::give_lids() {
  stage_watch_ = Stopwatch();
  recall_lids();
  const LidMemory before = *lids_;
  adopt_lids();
  auto fabric = assign_subnet_lids(*observed_, options_, *lids_);
  if (!fabric) return fabric;
  options_.reassign_lids = false;  // -r is for the first sweep
  keep_lids(before);
  report_.seconds.lids = stage_watch_.seconds();
  return fabric;
}

/// Names of changed nodes and links: at most kChangesNamed.
void SubnetManager::log_fabric_changes(const Fabric& fabric) {
  if (!snapshot_) return;
  report_.changes = compare(snapshot_->fabric, fabric);
  const auto changes = summarize_changes(report_.changes);
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesNamed); ++i)
    log::info("{}: {}", name(changes[i].kind), changes[i].what);
  if (changes.size() > kChangesNamed)
    log::info("and {} more changes of the fabric", changes.size() - kChangesNamed);
}

/// Stores verified routes in routes_ and verdict_; otherwise ends the sweep, and the fabric keeps
/// its tables.
bool SubnetManager::find_routes(const Fabric& fabric) {
  if (snapshot_ && !routing_changed_ && same_for_routing(snapshot_->fabric, fabric)) {
    routes_ = snapshot_->routes;
    verdict_ = snapshot_->verdict;
    report_.routes_reused = true;
    renew_trees(fabric);
    return true;
  }
  if (recall_routes(fabric)) return true;
  std::vector<std::string> warnings;
  const auto throttled = throttled_channels(*observed_);
  RoutingOptions routing = resolve(options_.routing, fabric, warnings, &throttled);
  for (const std::string& warning : warnings) warn(warning);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(options_.max_op_vls));
  std::vector<std::string> notes;
  std::vector<MulticastGroup> groups = routing.groups = groups_on(fabric, notes);
  keep_active_routes(routing, fabric);
  set_adaptive_capabilities(routing, fabric);
  std::optional<WantedMaps> wanted;
  if (options_.qos.enabled)
    wanted = administered_maps(*observed_, fabric, options_.qos, options_.max_op_vls);
  ChainResult chain =
      route_by_chain(fabric, options_.routing_engine, std::move(routing), options_.verify,
                     options_.find_engine, given(options_.routing), wanted ? &*wanted : nullptr);
  for (const EngineAttempt& attempt : chain.failed)
    log::warn("routing engine '{}' failed: {}", attempt.engine, attempt.reason);
  report_.engines_failed = std::move(chain.failed);
  if (!chain.status) {
    abandon_sweep(chain.status.error());
    return false;
  }
  if (options_.verify == VerifyMode::kWarn && !chain.verdict.ok())
    log::error("routes of '{}' are used although they fail verification: {}", chain.routes.engine,
               complaint(chain.verdict));
  if (chain.verdict.replies_ignored)
    log::warn("replies=ignore: replies on the SL of the request may deadlock");
  if (options_.verify != VerifyMode::kOff)
    log::info("all traffic on one SL: deadlock-free on SLs {}",
              sl_ranges(chain.verdict.single_sls));
  if (chain.parts.size() > 1) warn(describe_parts(chain));
  if (!chain.choice.empty()) log::info("engine chosen: {}", chain.choice);
  for (const RoutedStep& step : chain.routes.steps) {
    if (step.failed.empty())
      log::info("step {} of the chain: {}", step.id, describe(step));
    else
      log::warn("step {} of the chain: {}", step.id, describe(step));
  }
  for (const std::string& warning : chain.warnings) warn(warning);
  for (const std::string& note : chain.routes.notes) warn(note);
  if (options_.qos.enabled && plain_engine(chain.routes.engine) == "torus-2QoS")
    for (const std::string& complaint : torus_complaints(options_.qos)) warn(complaint);
  if (const std::string text = multicast_complaint(chain.verdict); !text.empty())
    warn(fmt::format("multicast trees of '{}': {}", chain.routes.engine, text));
  report_.seconds.route = chain.route_seconds;
  report_.seconds.verify = chain.verify_seconds;
  log::info("routes computed by {}", chain.routes.engine);
  routes_ = std::move(chain.routes);
  planned_groups_ = std::move(groups);
  verdict_ = std::move(chain.verdict);
  routing_changed_ = false;
  return true;
}

/// After another manager was master, these are the tables that switches hold, from whichever
/// engine: our engine keeps the entries that it could have selected itself.
void SubnetManager::keep_active_routes(RoutingOptions& routing, const Fabric& fabric) const {
  if (options_.rebalance || routing_changed_) return;
  if (snapshot_) {
    routing.previous = carry_over(snapshot_->fabric, snapshot_->routes.lfts, fabric);
    routing.previous_engine = snapshot_->routes.engine;
  } else if (role_.was_standby) {
    routing.previous = held_routes(held_, fabric);
    routing.previous_engine = options_.routing_engine.engines.front();
  }
}

/// -A: true if cached routes of an earlier fabric apply.
bool SubnetManager::recall_routes(const Fabric& fabric) {
  if (routing_changed_) cache_.forget_all();
  if (!options_.ucast_cache) return false;
  const Stopwatch watch;
  auto found = cache_.find(fabric);
  if (!found) return false;
  found->routes.mfts.clear();  // its multicast groups are out of date
  found->routes.multicast_sl.clear();
  if (!found->verdict && options_.verify != VerifyMode::kOff) {
    found->verdict = verify(fabric, found->routes,
                            {.threads = options_.routing.plain.threads,
                             .ignore_replies = options_.routing.plain.ignore_replies});
    report_.seconds.verify = watch.seconds();
    if (!found->verdict->ok()) return false;
  }
  routes_ = std::move(found->routes);
  verdict_ = found->verdict.value_or(Verdict{});
  report_.routes_remembered = true;
  planned_groups_.emplace();
  renew_trees(fabric);
  log::info("{} tables reused from the routing cache", routes_.engine);
  return true;
}

void SubnetManager::finish_sweep() {
  report_.seconds.apply = stage_watch_.seconds();
  report_.applied = applying_->report();
  for (const PortId port : applying_->reregistered())
    reregistrations_.settle(observed_->fabric, port);
  const std::size_t taken_down = applying_->taken_down().size();
  for (const PortId port : applying_->taken_down()) link_changes_.taken_down(*observed_, port);
  applying_.reset();
  report_adaptive_routing();
  keep_keys();
  for (const std::string& failure : report_.applied.failures) log::error("{}", failure);
  for (const std::string& refusal : report_.applied.refusals) warn(refusal);
  for (const NodeId node : report_.applied.failed_nodes)
    held_.forget(desired_->fabric.node(node).node_guid);
  const bool applied = report_.applied.complete() && plan_->obstacles.empty();
  const bool complete = applied && taken_down == 0;
  plan_.reset();
  first_as_master_ = false;
  role_.was_standby = false;
  report_.up = complete;
  if (applied && !complete)
    report_.error = fmt::format(
        "{} links were taken down to change NeighborMTU or OperationalVLs and are retraining",
        taken_down);
  if (!applied)
    report_.error =
        fmt::format("{} settings failed, {} were not sent, {} ports were not activated",
                    report_.applied.failed, report_.applied.skipped, report_.applied.held_back);
  const bool trees_only = regrouping_;
  if (applied && !trees_only && !report_.routes_reused)
    log::info("{} tables configured on all switches", desired_->routes.engine);
  end_sweep();
  publish();
  if (complete && trees_only && report_.applied.done_in(Phase::kPkeys) > 0)
    log::info("{} blocks of P_Key tables configured", report_.applied.done_in(Phase::kPkeys));
  if (complete && trees_only) {
    log::info("Multicast trees of {} groups and alias GUIDs of {} ports configured",
              planned_groups_->size(), aliases_.size());
  } else if (complete) {
    log::info("SUBNET UP");
  } else if (applied) {
    log::info("{}", report_.error);
  } else {
    log::error("Errors during initialization: {}", report_.error);
  }
}

void SubnetManager::publish() {
  std::vector<std::string> warnings;
  QosMatcher qos(options_.qos_policy, desired_->fabric, observed_->self_endport,
                 options_.partitions, warnings);
  for (const std::string& warning : warnings) warn(warning);
  auto managers = known_managers();
  // A previous manager on the own port may have cleared IsSM on exit.
  PortInfo& own = observed_->nodes[observed_->self.value()].ports[observed_->self_port.value()];
  own.capability_mask |= cap_mask::kIsSm;
  snapshot_ = std::make_shared<const Snapshot>(
      Snapshot{std::move(desired_->fabric), std::move(desired_->routes), std::move(verdict_),
               std::move(desired_->lanes), observed_->self_endport, sweeps_, report_,
               std::move(desired_->pkeys), partition_groups(options_.partitions), observed_->nodes,
               std::move(managers), std::move(qos), options_.partitions});
  if (options_.ucast_cache && !report_.routes_reused && !report_.routes_remembered)
    cache_.remember(snapshot_);
  desired_.reset();
}

/// A device that always refuses must not cause continuous sweeps: as long as the same Sets are
/// refused, and nothing else fails, the pause doubles each time, up to 32 times the first.
TimeNs SubnetManager::retry_pause() {
  const ApplyReport& applied = report_.applied;
  const bool same =
      applied.failed > 0 && applied.failed == applied.refused && applied.failures == refused_last_;
  refused_last_ = applied.failures;
  refused_in_a_row_ = same ? std::min(refused_in_a_row_ + 1, RetryPauses::kDoublingsMax) : 0;
  const TimeNs interval =
      options_.sweep_interval.count() > 0 ? TimeNs(options_.sweep_interval) : kRetryAfter;
  return interval * (1 << refused_in_a_row_);
}

void SubnetManager::abandon_sweep(const Error& error) {
  report_.error = error.message;
  log::error("the sweep failed: {}", error.message);
  client_.abandon();
  if (observed_) link_changes_.follow(*observed_);
  end_sweep();
}

void SubnetManager::end_sweep() {
  const bool trees_only = std::exchange(regrouping_, false);
  ++(trees_only ? regroupings_ : sweeps_);
  report_.smps = client_.counts() - counts_before_;
  report_.seconds.total = sweep_watch_.seconds();
  if (!trees_only) {
    occurrences_.add(SweepEnded{report_.up, report_.error});
    next_light_ = clock_.now() + options_.sweep_interval;
  }
  if (!report_.up) retry_at_ = clock_.now() + retry_pause();
  if (link_changes_.is_awaiting()) retry_at_ = std::min(retry_at_, clock_.now() + kLinksTrain);
  stage_ = Stage::kWatching;
  if (!local_changes_.empty()) regroup_soon();
  log::debug(
      "sweep {}: {} SMPs ({} retries, {} timeouts), {} table blocks read, {} written, "
      "{:.3f} s",
      sweeps_, report_.smps.sent, report_.smps.retried, report_.smps.timed_out,
      report_.table_blocks_read, report_.table_blocks_written(), report_.seconds.total);
}

void SubnetManager::recall_lids() {
  if (lids_) return;
  lids_.emplace();
  if (options_.cache_dir.empty()) return;
  std::vector<std::string> warnings;
  auto read = read_guid2lid(guid2lid_path(), warnings);
  if (!read) {
    lids_may_be_kept_ = false;
    return warn("cannot read the LIDs of earlier runs: " + read.error().message);
  }
  for (const std::string& warning : warnings) warn(warning);
  if (!warnings.empty()) keep_damaged_lids();
  if (!options_.reassign_lids) lids_ = std::move(*read);
}

/// A damaged file is replaced only after a copy under another name was made, so that it can be
/// repaired.
void SubnetManager::keep_damaged_lids() {
  const auto aside = keep_aside(guid2lid_path());
  lids_may_be_kept_ = aside.has_value();
  lids_unsaved_ = true;
  warn(aside ? fmt::format("{}: damaged, copied to {}", guid2lid_path(), *aside)
             : aside.error().message);
}

void SubnetManager::keep_lids(const LidMemory& before) {
  if (options_.cache_dir.empty()) return;
  lids_unsaved_ = lids_unsaved_ || before != *lids_;
  if (!lids_unsaved_) return;
  if (!lids_may_be_kept_)
    return warn(
        fmt::format("LIDs are not saved for later runs: {} is left unchanged", guid2lid_path()));
  auto status = make_directory(options_.cache_dir);
  if (status) status = write_guid2lid(guid2lid_path(), *lids_);
  lids_unsaved_ = !status;
  if (!status) warn("LIDs are not saved for later runs: " + status.error().message);
}

}  // namespace weft
