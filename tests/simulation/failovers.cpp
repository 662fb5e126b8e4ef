// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "failovers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "copy_network.h"
#include "manager_process.h"
#include "registrar.h"
#include "support/fabric_of.h"

namespace weft::simulation {
namespace {

using std::chrono::milliseconds;

constexpr TimeNs kStep = milliseconds(2);
constexpr TimeNs kStageMax = 120 * kSecond;
constexpr std::uint64_t kChangesPerSecond = 40;

EmulatorOptions options_of(const FailoverPlan& plan) {
  EmulatorOptions options;
  options.seed = plan.seed;
  return options;
}

class Failovers {
 public:
  explicit Failovers(const FailoverPlan& plan)
      : plan_(plan),
        fabric_(fabric_without_lids(plan.spec)),
        emulated_(fabric_, options_of(plan)),
        rng_(Rng(plan.seed).fork(83)),
        copies_(emulated_, plan.seed, {}) {}

  FailoverFigures run() {
    add_managers();
    add_clients();
    processes_[0]->start();
    advance_until([&] { return is_up(*processes_[0]) && are_clients_idle(); },
                  "the first manager has the subnet up");
    processes_[1]->start();
    for (std::size_t at = 0; is_running() && figures_.kills < plan_.kills;
         at = plan_.returns ? 0 : 1 - at)
      fail_over(*processes_[at], *processes_[1 - at]);
    for (const auto& client : clients_) {
      figures_.changes += client->answered();
      figures_.uncertain += client->unanswered();
    }
    return figures_;
  }

 private:
  bool is_running() const { return figures_.failure.empty(); }
  TimeNs now() { return emulated_.clock().now(); }

  void add_managers() {
    for (const std::uint32_t host : {0u, 1u}) {
      SmOptions options;
      options.sm_priority = host == 0 ? 5 : 3;
      options.master_sm_priority = plan_.returns ? 0 : 10;  // 10: the other manager stays master
      options.routing_engine = {{"updn"}, true};
      options.routing.plain.threads = 1;
      options.sminfo_polling_timeout = milliseconds(500);
      processes_.push_back(std::make_unique<ManagerProcess>(
          emulated_, EndportId(fabric_.switch_count() + host), options, [](Smp&) {}, false));
      processes_.back()->replicate(plan_.holds_answers ? milliseconds(10'000) : milliseconds(0));
      copies_.add(*processes_.back());
    }
  }

  void add_clients() {
    const std::uint32_t hosts = fabric_.endport_count() - fabric_.switch_count();
    for (std::uint32_t host = 2; host < hosts; ++host)
      clients_.push_back(std::make_unique<Registrar>(emulated_, host, plan_.seed));
    const auto spread = [&](Registrar::Kind kind, unsigned count) {
      for (unsigned i = 0; i < count; ++i)
        clients_[i % clients_.size()]->add({kind, static_cast<std::uint32_t>(i)});
    };
    spread(Registrar::Kind::kGroup, plan_.groups);
    spread(Registrar::Kind::kSubscription, plan_.subscriptions);
    spread(Registrar::Kind::kService, plan_.services);
  }

  bool are_clients_idle() const {
    return std::ranges::all_of(clients_, [](const auto& client) { return client->is_idle(); });
  }

  static bool is_up(const ManagerProcess& process) {
    return process.runs() && process.sm().state() == SmState::kMaster && process.sm().settled() &&
           process.sm().snapshot() && process.sm().last_report().up;
  }

  bool is_in_step(const ManagerProcess& master, const ManagerProcess& standby) const {
    if (!standby.runs() || standby.sm().state() != SmState::kStandby ||
        !standby.replication()->status().in_step)
      return false;
    const auto standbys = master.replication()->status().standbys;
    return standbys.size() == 1 && standbys[0].in_step;
  }

  void step_all() {
    const TimeNs end = now() + kStep;
    for (const auto& process : processes_)
      if (process->runs()) process->step(end);
    if (now() < end) emulated_.run_until(end);
    copies_.step();
    for (const auto& client : clients_) client->step();
  }

  template <class Reached>
  void advance_until(Reached reached, const char* what, TimeNs most = kStageMax) {
    const TimeNs end = now() + most;
    while (is_running() && !reached() && now() < end) step_all();
    if (is_running() && !reached()) fail(fmt::format("expected that {}", what));
  }

  void fail(const std::string& what) {
    if (is_running())
      figures_.failure = fmt::format("kill {}, {:.3f} s: {}", figures_.kills,
                                     std::chrono::duration<double>(now()).count(), what);
  }

  /// Lets clients change registrations for this time.
  void change_for(TimeNs time) {
    const TimeNs end = now() + time;
    TimeNs next = now();
    while (is_running() && now() < end) {
      if (now() >= next) {
        clients_[rng_.below(clients_.size())]->change_one();
        next = now() + milliseconds(rng_.below(2 * 1000 / kChangesPerSecond));
      }
      step_all();
    }
  }

  /// Cuts and restores a cable between two switches, so that the master sweeps. All clients stay
  /// connected.
  void flap_cable() {
    std::vector<PortId> ends;
    for (const Channel& channel : fabric_.channels())
      ends.push_back(fabric_.port_id(Fabric::node_of(channel.from), channel.from_port));
    const PortId port = ends[rng_.below(ends.size())];
    emulated_.cut_cable(port);
    change_for(milliseconds(rng_.below(50)));
    emulated_.restore_cable(port);
  }

  void fail_over(ManagerProcess& master, ManagerProcess& standby) {
    advance_until([&] { return is_in_step(master, standby); }, "the standby is in step");
    if (!is_running()) return;
    std::vector<std::uint32_t> requested;
    for (const auto& client : clients_) requested.push_back(client->reregistrations());
    change_for(milliseconds(rng_.below(1000)));
    if (rng_.below(4) == 0) flap_cable();
    master.kill_after(rng_.below(3) == 0 ? rng_.below(200) : 0);
    change_for(milliseconds(rng_.below(20)));
    master.kill();
    ++figures_.kills;
    const TimeNs killed = now();
    advance_until([&] { return is_up(standby); }, "the standby is master and the subnet is up");
    if (!is_running()) return;
    figures_.seconds_max =
        std::max(figures_.seconds_max, std::chrono::duration<double>(now() - killed).count());
    compare(standby, requested);
    if (plan_.returns) master.lose_files();
    master.start();
    if (!plan_.returns || !is_running()) return;
    advance_until([&] { return is_up(master) && !is_up(standby); },
                  "the killed manager is master again");
    if (is_running()) compare(master, requested);
  }

  void compare(const ManagerProcess& process, const std::vector<std::uint32_t>& requested) {
    for (std::size_t i = 0; i < clients_.size() && is_running(); ++i) {
      const Registrar& client = *clients_[i];
      if (client.reregistrations() != requested[i])
        fail(fmt::format("host {} was requested to register again", client.host()));
      if (client.refused() > 0)
        fail(fmt::format("a request of host {} was refused", client.host()));
      if (const auto wrong = client.difference(process.sa().state()))
        fail(fmt::format("host {}: kind {}, number {}: acknowledged as {}", client.host(),
                         static_cast<int>(wrong->first.first), wrong->first.second,
                         wrong->second ? "registered" : "withdrawn"));
      figures_.compared += client.known_count();
    }
  }

  const FailoverPlan plan_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  Rng rng_;
  CopyNetwork copies_;
  std::vector<std::unique_ptr<ManagerProcess>> processes_;
  std::vector<std::unique_ptr<Registrar>> clients_;
  FailoverFigures figures_;
};

}  // namespace

FailoverFigures run_failovers(const FailoverPlan& plan) { return Failovers(plan).run(); }

}  // namespace weft::simulation
