// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "world.h"

#include <algorithm>

#include "base/check.h"
#include "devices.h"
#include "emulator/vport_changes.h"
#include "fabric/planes.h"
#include "sm/election/election.h"
#include "support/fabric_of.h"

namespace weft::simulation {
namespace {

// The managers are stepped alternately. Maximum virtual time of a step: with several managers,
// without pending events, and with one manager; then the limits for plans with clients or agents,
// and for plans with replication.
constexpr TimeNs kTogether = std::chrono::milliseconds(1);
constexpr TimeNs kIdle = std::chrono::milliseconds(50);
constexpr TimeNs kAlone = std::chrono::seconds(1);
constexpr TimeNs kWithClients = std::chrono::milliseconds(20);
constexpr TimeNs kWithCopies = std::chrono::milliseconds(5);
constexpr std::size_t kEventsMax = 1u << 20;
constexpr std::uint64_t kStepsAtOneTimeMax = 1'000'000;  // without progress of the clock
constexpr std::uint64_t kSmpsBeforeKillMax = 3000;

EmulatorOptions emulator_options(const WorldPlan& plan) {
  EmulatorOptions options = device_options(plan);
  options.seed = plan.seed;
  options.faults = plan.rates;
  return options;
}

SmOptions options_of(const WorldPlan& plan, const ManagerPlan& manager,
                     const std::string& partitions) {
  SmOptions options;
  options.lmc = plan.lmc;
  options.sm_priority = manager.priority;
  options.routing_engine = {{plan.engine}, true};
  options.compare_verifications = true;
  options.exit_on_fatal = false;  // in some plans, two nodes have the same GUID
  options.rebalance = true;       // the routes do not depend on earlier routes
  options.qos.enabled = plan.qos;
  options.m_key = Mkey(plan.m_key);
  options.m_key_protection_level = plan.m_key_protection;
  options.m_key_lease_period = plan.m_key_lease;
  options.m_key_per_port = plan.has_key_per_port();
  options.key_mgr_seed = Secret(std::string(16, 's'));
  options.sminfo_polling_timeout = std::chrono::milliseconds(plan.replication ? 500 : 2000);
  options.routing.plain.threads = 1;
  options.light_sweep_spst = plan.port_states;
  if (plan.sharp) options.sharp_enabled = SharpSetting::kEnable;
  if (plan.recovery) options.fast_recovery = options.port_recovery = RecoverySetting::kEnable;
  options.use_optimized_slvl = plan.optimized_sl2vl;
  if (plan.adaptive) options.routing.adaptive.emplace();
  if (!partitions.empty()) {
    std::vector<std::string> warnings;
    auto file = parse_partitions(partitions, "simulation", warnings);
    CHECK(file.has_value());
    options.partitions = std::move(*file);
  }
  return options;
}

}  // namespace

World::World(const WorldPlan& plan)
    : plan_(plan),
      fabric_(fabric_without_lids(whole_spec(plan))),
      emulated_(fabric_, emulator_options(plan)),
      neighborhood_(plan.partitions),
      copies_(emulated_, plan.seed, plan.copies),
      noise_(Rng(plan.seed).fork(5)),
      rates_(plan.rates) {
  if (plan.mixed_devices) set_quirks(emulated_, plan.seed);
}

World::~World() {
  clients_.clear();
  processes_.clear();
}

void World::fail(const std::string& what) {
  if (outcome_.failure.empty())
    outcome_.failure = fmt::format(
        "{:.6f} s: {}", std::chrono::duration<double>(emulated_.clock().now()).count(), what);
}

void World::later(TimeNs at, std::function<void()> action) {
  actions_.emplace(at, std::move(action));
}

void World::begin() {
  const std::string partitions = neighborhood_.file(fabric_);
  const std::uint32_t hosts = fabric_.endport_count() - fabric_.switch_count();
  const std::size_t planes = std::max<std::size_t>(find_planes(fabric_).planes.size(), 1);
  if (planes > 1) ++outcome_.coverage["fabrics with planes"];
  if (!fabric_.fnm_ends().empty()) ++outcome_.coverage["fabrics with FNM rings"];
  if (plan_.vports > 0)
    schedule_vport_changes(
        emulated_, {.seed = plan_.seed, .interval = plan_.vport_change, .until = plan_.length});
  std::vector<std::uint32_t> manager_hosts;
  std::set<NodeId> nodes_in_use;
  for (const ManagerPlan& manager : plan_.managers) {
    // Managers are on different CAs: the ports of one CA in all planes have consecutive numbers.
    const auto first = static_cast<std::uint32_t>(manager.host * planes % hosts);
    const EndportId where(fabric_.switch_count() + first);
    if (!nodes_in_use.insert(fabric_.endport(where).node).second) continue;
    for (std::uint32_t port = 0; port < planes; ++port) manager_hosts.push_back(first + port);
    processes_.push_back(std::make_unique<ManagerProcess>(
        emulated_, where, options_of(plan_, manager, partitions),
        [this](Smp& smp) {
          if (corrupting_faults_ == 0 || noise_.below(8) != 0) return;
          for (auto left = 1 + noise_.below(3); left > 0; --left)
            smp.data[noise_.below(smp.data.size())] ^=
                static_cast<std::byte>(1 + noise_.below(255));
        },
        plan_.mixed_devices));
    if (plan_.replication) {
      processes_.back()->replicate(plan_.confirm);
      copies_.add(*processes_.back());
    }
    if (plan_.has_agents()) processes_.back()->manage_agents(plan_);
    later(manager.start, [this, process = processes_.back().get()] { process->start(); });
  }
  for (std::uint32_t n = 0; n < fabric_.node_count(); ++n)
    if (!nodes_in_use.contains(NodeId(n))) nodes_without_manager_.push_back(NodeId(n));
  for (std::uint32_t c = 0; c < plan_.clients; ++c) {
    const std::uint32_t host = hosts - 1 - c;
    if (c >= hosts ||
        nodes_in_use.contains(fabric_.endport(EndportId(fabric_.switch_count() + host)).node))
      break;
    clients_.push_back(std::make_unique<Client>(emulated_, host, plan_.seed, plan_.client_pause,
                                                neighborhood_, manager_hosts));
    if (has_corrupted_answers(plan_)) clients_.back()->expect_absent_nodes();
  }
  emulated_.set_filter([this](const Smp&, NodeId from, NodeId) {
    if (lossy_nodes_.contains(from)) return EmulatedFabric::Delivery::kLose;
    return delayed_nodes_.contains(from) ? EmulatedFabric::Delivery::kDelay
                                         : EmulatedFabric::Delivery::kPass;
  });
  for (const Fault& fault : plan_.faults) later(fault.at, [this, &fault] { inject(fault); });
}

void World::inject(const Fault& fault) {
  ++outcome_.faults;
  ++outcome_.coverage[fmt::format("fault {}", name(fault.kind))];
  const TimeNs end = emulated_.clock().now() + fault.span;
  const PortId port(static_cast<std::uint32_t>(fault.a % fabric_.port_count()));
  const NodeId node = fault_node(fault.a);
  switch (fault.kind) {
    case Kind::kCut:
      return emulated_.cut_cable(port);
    case Kind::kFlap:
      emulated_.cut_cable(port);
      return later(end, [this, port] { emulated_.restore_cable(port); });
    case Kind::kSwitchOff:
      return reset(node);
    case Kind::kReboot:
      reset(node);
      return later(end, [this, node] { emulated_.switch_on_node(node); });
    case Kind::kLoseSmps:
      lossy_nodes_.insert(node);
      return later(end, [this, node] { lossy_nodes_.erase(lossy_nodes_.find(node)); });
    case Kind::kDelaySmps:
      tables_may_be_mixed_ = true;
      delayed_nodes_.insert(node);
      return later(end, [this, node] { delayed_nodes_.erase(delayed_nodes_.find(node)); });
    case Kind::kCorruptAnswers:
      tables_may_be_mixed_ = lids_may_move_ = received_corrupted_ = true;
      ++corrupting_faults_;
      return later(end, [this] { --corrupting_faults_; });
    case Kind::kRename:
      return emulated_.set_description(node, fmt::format("renamed {}", fault.b % 1000));
    case Kind::kRates: {
      constexpr std::array kChances{0.02, 0.1, 0.3};
      const double chance = kChances[fault.a % kChances.size()];
      rates_ = fault.b % 3 == 0 ? FaultRates{.lost = chance, .doubled = chance, .late = chance}
                                : FaultRates{.lost = chance};
      emulated_.set_faults(rates_);
      return later(end, [this] { emulated_.set_faults(rates_ = plan_.rates); });
    }
    case Kind::kNoCopies:
      return copies_.interrupt(end);
    case Kind::kEngine: {
      const auto engines = engines_for(plan_.spec);
      for (const auto& process : processes_) {
        process->options().routing_engine = {{engines[fault.a % engines.size()]}, true};
        process->reload();
      }
      return;
    }
    default:
      return inject_at_manager(fault, process_of(fault.a));
  }
}

/// Switches the node off. A node that is switched on again has lost its state.
void World::reset(NodeId node) {
  ++resets_[node];
  for (const auto& client : clients_)
    if (fabric_.port(client->port()).node == node) client->forget_acknowledged();
  emulated_.switch_off_node(node);
}

void World::inject_at_manager(const Fault& fault, ManagerProcess& process) {
  const TimeNs end = emulated_.clock().now() + fault.span;
  switch (fault.kind) {
    case Kind::kPriority:
      process.options().sm_priority = static_cast<std::uint8_t>(fault.b % 16);
      if (process.runs()) process.sm().set_priority(process.options().sm_priority);
      return;
    case Kind::kReload:
      return process.reload();
    case Kind::kFullDisk:
      lids_may_move_ = true;
      process.set_disk_full(true);
      return later(end, [&process] { process.set_disk_full(false); });
    default:
      break;
  }
  if (!process.runs()) return;
  process.save_first_files();
  process.kill_after(fault.b % 2 == 0 ? 0 : fault.b / 2 % kSmpsBeforeKillMax);
  if (fault.kind != Kind::kKillManager) lids_may_move_ = true;
  later(end, [this, &process, kind = fault.kind, how = fault.b] {
    process.kill();
    if (kind == Kind::kLoseCache) process.lose_files();
    if (kind == Kind::kDamageCache) process.damage_files(how);
    if (kind == Kind::kOldCache) process.restore_first_files();
    process.start();
    states_.erase(&process);
    swept_.erase(&process);
  });
}

void World::step_all(TimeNs limit) {
  const TimeNs now = emulated_.clock().now();
  const auto running =
      std::ranges::count_if(processes_, [](const auto& process) { return process->runs(); });
  TimeNs share = running == 1 ? kAlone : emulated_.pending_events() == 0 ? kIdle : kTogether;
  if (!clients_.empty() || plan_.has_agents()) share = std::min(share, kWithClients);
  if (plan_.replication) share = std::min(share, kWithCopies);
  limit = std::min(limit, now + share);
  for (const auto& process : processes_) {
    if (!process->runs()) continue;
    process->step(running == 1 ? limit : std::min(limit, emulated_.clock().now() + share));
    if (process->runs()) note_sweep(*process);
  }
  if (running == 0) emulated_.run_until(limit);
  if (plan_.replication) copies_.step();
  notify_clients();
  for (const auto& client : clients_) {
    client->step();
    if (!client->problem().empty()) fail(client->problem());
  }
  if (emulated_.pending_events() > kEventsMax) fail("too many pending events");
}

void World::advance_until(TimeNs end) {
  std::uint64_t steps_at_one_time = 0;
  while (emulated_.clock().now() < end && is_running()) {
    const TimeNs begin = emulated_.clock().now();
    while (!actions_.empty() && actions_.begin()->first <= emulated_.clock().now()) {
      const auto action = std::move(actions_.begin()->second);
      actions_.erase(actions_.begin());
      action();
    }
    step_all(actions_.empty() ? end
                              : std::min(end, std::max(actions_.begin()->first,
                                                       emulated_.clock().now() + TimeNs{1})));
    steps_at_one_time = emulated_.clock().now() == begin ? steps_at_one_time + 1 : 0;
    if (steps_at_one_time > kStepsAtOneTimeMax) fail("the virtual clock does not advance");
    note_states();
    check();
    if (is_time_up_ && is_time_up_()) outcome_.cut_short = outcome_.failure.empty();
  }
}

void World::note_states() {
  for (const auto& process : processes_) {
    if (!process->runs()) continue;
    const SmState now = process->sm().state();
    const auto [known, fresh] = states_.try_emplace(process.get(), SmState::kDiscovering);
    if (known->second == now) continue;
    ++outcome_.coverage[fmt::format("state {} to {}", weft::name(known->second), weft::name(now))];
    known->second = now;
    if (now != SmState::kMaster) continue;
    master_since_[process.get()] = emulated_.clock().now();
    if (plan_.replication && is_new_takeover(*process))
      ++outcome_.coverage["takeovers with all registrations"];
  }
}

void World::note_sweep(const ManagerProcess& process) {
  auto& seen = swept_[&process];
  if (process.sm().heavy_sweeps() == seen) return;
  seen = process.sm().heavy_sweeps();
  const SweepReport& report = process.sm().last_report();
  ++measurements_.sweeps;
  measurements_.sweep_seconds += report.seconds.total;
  const auto count = [&](std::string_view what, bool is) {
    if (is) ++outcome_.coverage[fmt::format("sweep {}", what)];
  };
  count("failed", !report.up);
  count("with full discovery", report.up && !report.discovered_incrementally);
  count("with incremental discovery", report.discovered_incrementally);
  count("with a restarted discovery", report.restarts > 0);
  count("with the routes of the last sweep", report.routes_reused);
  count("verified by its changes", report.verified_changes_only);
  count("by a fallback engine", !report.engines_failed.empty());
  count("with ordered table writes", report.transition.rounds > 1);
  count("with partial block writes", report.transition.extra_writes > 0);
  count("with deadlock risk", report.transition.tables == Exposure::kCycle);
  if (report.up && process.sm().settled()) check_settled(process);
}

void World::watch(TimeNs every, std::function<void(const Measurements&)> record) {
  later(every, [this, every, record = std::move(record)] { sample_every(every, record); });
}

void World::sample_every(TimeNs every, const std::function<void(const Measurements&)>& record) {
  measurements_.at = emulated_.clock().now();
  measurements_.answered = 0;
  for (const auto& client : clients_) measurements_.answered += client->counts().answered;
  record(measurements_);
  later(measurements_.at + every, [this, every, record] { sample_every(every, record); });
}

void World::repair() {
  actions_.clear();
  lossy_nodes_.clear();
  delayed_nodes_.clear();
  corrupting_faults_ = 0;
  copies_.repair();
  emulated_.set_faults(rates_ = {});
  for (const NodeId node : nodes_without_manager_)
    if (!emulated_.is_alive(node)) emulated_.switch_on_node(node);
  for (std::uint32_t p = 0; p < fabric_.port_count(); ++p) emulated_.restore_cable(PortId(p));
  for (const auto& process : processes_) {
    process->set_disk_full(false);
    process->cancel_kill();
    if (!process->runs()) process->start();
    // Corrupted answers stay in the cache until a full sweep is requested.
    if (has_corrupted_answers(plan_)) process->reload();
  }
}

bool World::is_new_takeover(const ManagerProcess& process) {
  const std::pair now{process.starts(), process.complete_takeovers()};
  return std::exchange(takeovers_[&process], now) != now && now.second > 0;
}

/// Adds the requests and answers of the clients to the coverage, and stops the clients.
void World::stop_clients() {
  const auto count = [&](std::string_view what, std::uint64_t number) {
    if (number > 0) outcome_.coverage[fmt::format("client {}", what)] += number;
  };
  for (const auto& client : clients_) {
    count("requests", client->counts().requests);
    count("answers", client->counts().answered);
    count("refusals", client->counts().refused);
    count("tables", client->counts().tables);
    count("reports", client->counts().reports);
  }
  clients_.clear();
}

Outcome World::run(std::function<bool()> is_time_up) {
  is_time_up_ = std::move(is_time_up);
  begin();
  advance_until(plan_.length);
  if (is_running()) {
    repair();
    check_end();
  }
  const EmulatorCounters& counters = emulated_.counters();
  outcome_.virtual_time = emulated_.clock().now();
  outcome_.mads = counters.sent + counters.gmps_sent + counters.traps;
  constexpr std::array<std::string_view, kDropKinds> kDrops{
      "malformed", "port down",   "not a switch", "unrouted",  "wrong LID",  "looped",
      "node off",  "path broken", "lost",         "bad M_Key", "queue full", "no receiver"};
  for (std::size_t i = 0; i < kDrops.size(); ++i)
    if (counters.dropped[i] > 0)
      outcome_.coverage[fmt::format("MADs dropped: {}", kDrops[i])] += counters.dropped[i];
  if (counters.doubled > 0) outcome_.coverage["MADs doubled"] += counters.doubled;
  if (counters.late > 0) outcome_.coverage["MADs late"] += counters.late;
  stop_clients();
  const CopyNetwork::Counts& copies = copies_.counts();
  for (const auto& [what, number] :
       {std::pair("requests", copies.requests), std::pair("answers", copies.answers),
        std::pair("answers refused", copies.refused), std::pair("connections lost", copies.broken),
        std::pair("messages lost", copies.lost), std::pair("messages repeated", copies.repeated)})
    if (number > 0) outcome_.coverage[fmt::format("replication: {}", what)] += number;
  std::uint64_t hash = outcome_.mads * 0x9E3779B97F4A7C15ull;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    for (const std::uint8_t port : emulated_.lft(SwitchId(s)))
      hash = (hash ^ port) * 0x100000001B3ull;
  outcome_.fingerprint = hash;
  return outcome_;
}

Outcome run(const WorldPlan& plan, std::function<bool()> is_time_up) {
  return World(plan).run(std::move(is_time_up));
}

}  // namespace weft::simulation
