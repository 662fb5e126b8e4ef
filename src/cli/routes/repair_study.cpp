// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/repair_study.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "base/check.h"
#include "base/parallel.h"
#include "emulator/emulated_fabric.h"
#include "emulator/snapshot.h"
#include "fabric/without.h"
#include "sm/subnet_manager.h"
#include "verify/verify.h"

namespace weft::cli {
namespace {

constexpr TimeNs kPollInterval = std::chrono::microseconds(1);
constexpr TimeNs kBringUpMax = std::chrono::minutes(10);

/// A host for the manager, on a switch that does not fail.
EndportId sm_port_for(const Fabric& fabric, const Failure& failure) {
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) {
    const SwitchId sw = fabric.endport(EndportId(e)).sw;
    if (sw != kNoSwitch && std::ranges::find(failure.switches, sw) == failure.switches.end())
      return EndportId(e);
  }
  return kNoEndport;
}

std::vector<PortId> ports_of(const Fabric& fabric, const Failure& failure) {
  std::vector<PortId> cut;
  for (const ChannelId cable : failure.cables) {
    const Channel& channel = fabric.channel(cable);
    cut.push_back(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  }
  for (const SwitchId sw : failure.switches)
    for (const Port& port : fabric.ports(sw))
      if (port.peer != kNoPort) cut.push_back(fabric.port_id(Fabric::node_of(sw), port.num));
  return cut;
}

/// An emulated fabric with its subnet manager.
class ManagedFabric {
 public:
  ManagedFabric(const Fabric& fabric, const SmOptions& options, const EmulatorOptions& emulator,
                EndportId sm_port)
      : emulated_(fabric, emulator), sm_(emulated_.attach(sm_port), emulated_.clock(), options) {}

  bool bring_up() {
    settle(emulated_.clock().now() + kBringUpMax);
    return sm_.settled() && sm_.snapshot() != nullptr && sm_.last_report().up;
  }
  void settle(TimeNs end) {
    while (!sm_.settled() && emulated_.clock().now() < end) sm_.step();
  }
  EmulatedFabric& emulated() { return emulated_; }
  SubnetManager& sm() { return sm_; }

 private:
  EmulatedFabric emulated_;
  SubnetManager sm_;
};

Verdict verdict_of(const Fabric& fabric, const Routes& routes, std::size_t failures_max = 0) {
  return verify(fabric, routes, {.threads = 1, .failures_max = failures_max});
}

std::uint64_t count_connected_pairs(const Fabric& fabric, const Routes& routes) {
  return verdict_of(fabric, routes).ca_to_ca.arrived;
}

/// The disconnected pairs that the manager will connect, because it discovered both ends. `seen` is
/// the discovered fabric. One host represents all hosts of its switch.
std::vector<WaitingPair> waiting(const Fabric& fabric, const Fabric& seen,
                                 std::span<const WalkFailure> failures) {
  const auto is_discovered = [&](EndportId endport) {
    return seen.find_endport(fabric.port(fabric.endport(endport).port).guid).has_value();
  };
  std::vector<WaitingPair> pairs;
  for (const WalkFailure& failure : failures) {
    const WaitingPair pair{failure.source, fabric.endport_of(failure.lid)};
    if (fabric.is_switch(fabric.endport(pair.from).node) ||
        fabric.is_switch(fabric.endport(pair.to).node))
      continue;
    if (is_discovered(pair.from) && is_discovered(pair.to)) pairs.push_back(pair);
    if (pairs.size() == kWaitingPairsListed) break;
  }
  return pairs;
}

/// Runs the manager until the heavy sweeps caused by the failure are complete.
void run_sweep(ManagedFabric& managed, TimeNs failed_at, Repair& repair) {
  SubnetManager& sm = managed.sm();
  const std::uint64_t before = sm.heavy_sweeps();
  const TimeNs end = failed_at + kBringUpMax;
  while ((sm.heavy_sweeps() == before || !sm.settled()) && managed.emulated().clock().now() < end) {
    const std::uint64_t sweeps = sm.heavy_sweeps();
    sm.step();
    if (sm.heavy_sweeps() == sweeps) continue;
    repair.swept_after = managed.emulated().clock().now() - failed_at;
    repair.smps += sm.last_report().smps.sent;
    const auto& seconds = sm.last_report().seconds;
    repair.seconds += seconds.lids + seconds.route + seconds.verify + seconds.diff;
  }
  repair.routed_anew = sm.heavy_sweeps() > before && sm.settled() && sm.last_report().up;
}

Repair simulate_failure(const Fabric& fabric, const SmOptions& options,
                        const EmulatorOptions& emulator, const Failure& failure) {
  Repair repair{.failure = failure};
  const EndportId sm_port = sm_port_for(fabric, failure);
  if (sm_port == kNoEndport) return repair;
  ManagedFabric managed(fabric, options, emulator, sm_port);
  if (!managed.bring_up()) return repair;
  EmulatedFabric& emulated = managed.emulated();
  const auto assigned = read_fabric(emulated);
  if (!assigned) return repair;
  const Routes whole = read_choices(emulated);
  const std::uint64_t pairs = count_connected_pairs(*assigned, whole);
  const std::vector<PortId> cut = ports_of(fabric, failure);
  const Fabric remaining = without(*assigned, {}, cut);

  emulated.reset_counters();
  const TimeNs failed_at = emulated.clock().now();
  for (const PortId port : cut) emulated.cut_cable(port);
  for (const SwitchId sw : failure.switches) emulated.switch_off_node(Fabric::node_of(sw));
  const Routes with_selection = read_choices(emulated);
  // The manager runs at the same time; all notifications arrive long before its discovery is
  // complete.
  std::optional<Routes> notified;
  std::function<void(EmulatedFabric&)> poll = [&](EmulatedFabric& now) {
    if (now.pending_notifications() > 0)
      now.schedule(now.clock().now() + kPollInterval, poll);
    else
      notified = read_choices(now);
  };
  emulated.schedule(failed_at, poll);
  run_sweep(managed, failed_at, repair);
  CHECK(notified.has_value());

  repair.notifications = emulated.counters().notifications;
  if (repair.notifications.last_use > failed_at)
    repair.repaired_after = repair.notifications.last_use - failed_at;
  repair.pairs_cut = pairs - count_connected_pairs(remaining, whole);
  repair.pairs_cut_after_selection = pairs - count_connected_pairs(remaining, with_selection);
  if (repair.routed_anew)
    repair.pairs_lost = pairs - std::min(pairs, managed.sm().snapshot()->verdict.ca_to_ca.arrived);
  const Verdict verdict = verdict_of(remaining, *notified, std::numeric_limits<std::size_t>::max());
  repair.credit_loop = verdict.has_credit_loop();
  const std::uint64_t after = pairs - verdict.ca_to_ca.arrived;
  // Pairs without a remaining path are lost, not waiting.
  repair.pairs_cut -= std::min(repair.pairs_cut, repair.pairs_lost);
  repair.pairs_cut_after_selection -= std::min(repair.pairs_cut_after_selection, repair.pairs_lost);
  repair.pairs_waiting = after - std::min(after, repair.pairs_lost);
  if (repair.routed_anew)
    repair.waiting = waiting(remaining, managed.sm().snapshot()->fabric, verdict.failures);
  return repair;
}

}  // namespace

Result<RepairStudy> study_repairs(const Fabric& fabric, const SmOptions& options,
                                  const EmulatorOptions& emulator,
                                  std::span<const Failure> failures, unsigned threads) {
  const EndportId sm_port = sm_port_for(fabric, {});
  if (sm_port == kNoEndport)
    return fail(Code::kUnroutable, "the fabric has no host for the subnet manager");
  RepairStudy study;
  {
    ManagedFabric managed(fabric, options, emulator, sm_port);
    if (!managed.bring_up())
      return fail(Code::kUnroutable, "the subnet manager cannot bring the emulated fabric up: {}",
                  managed.sm().last_report().error);
    study.switches = managed.sm().last_report().adaptive.on;
    study.notifying = managed.sm().last_report().adaptive.notifying;
    study.roles = count_notifications(managed.sm().snapshot()->routes);
  }
  study.repairs.resize(failures.size());
  parallel_for(failures.size(), threads, [&](std::size_t i) {
    study.repairs[i] = simulate_failure(fabric, options, emulator, failures[i]);
  });
  return study;
}

}  // namespace weft::cli
