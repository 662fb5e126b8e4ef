#include "cli/repair_study.h"

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

constexpr TimeNs kLook = std::chrono::microseconds(1);
constexpr TimeNs kBringUpMax = std::chrono::minutes(10);

/// A host whose switch does not fail, so that the manager lives to see it.
EndportId seat_for(const Fabric& fabric, const Failure& failure) {
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

/// One emulated fabric and its manager.
class Ground {
 public:
  Ground(const Fabric& fabric, const SmOptions& options, const EmulatorOptions& emulator,
         EndportId seat)
      : emulated_(fabric, emulator), sm_(emulated_.attach(seat), emulated_.clock(), options) {}

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

Verdict judge(const Fabric& fabric, const Routes& routes, std::size_t failures_max = 0) {
  return verify(fabric, routes, {.threads = 1, .failures_max = failures_max});
}

std::uint64_t connected(const Fabric& fabric, const Routes& routes) {
  return judge(fabric, routes).ca_to_ca.arrived;
}

/// Of the pairs that fail those which the manager will connect: it sees both ends. Of the hosts at
/// a switch one stands for all.
std::vector<WaitingPair> waiting(const Fabric& fabric, const Fabric& seen,
                                 std::span<const WalkFailure> failures) {
  const auto is_seen = [&](EndportId endport) {
    return seen.find_endport(fabric.port(fabric.endport(endport).port).guid).has_value();
  };
  std::vector<WaitingPair> pairs;
  for (const WalkFailure& failure : failures) {
    const WaitingPair pair{failure.source, fabric.endport_of(failure.lid)};
    if (fabric.is_switch(fabric.endport(pair.from).node) ||
        fabric.is_switch(fabric.endport(pair.to).node))
      continue;
    if (is_seen(pair.from) && is_seen(pair.to)) pairs.push_back(pair);
    if (pairs.size() == kWaitingNamed) break;
  }
  return pairs;
}

/// The manager goes on until the sweep that the failure led to is over.
void route_anew(Ground& ground, TimeNs failed_at, Repair& repair) {
  SubnetManager& sm = ground.sm();
  const std::uint64_t before = sm.heavy_sweeps();
  const TimeNs end = failed_at + kBringUpMax;
  while ((sm.heavy_sweeps() == before || !sm.settled()) && ground.emulated().clock().now() < end) {
    const std::uint64_t sweeps = sm.heavy_sweeps();
    sm.step();
    if (sm.heavy_sweeps() == sweeps) continue;
    repair.swept_after = ground.emulated().clock().now() - failed_at;
    repair.smps += sm.last_report().smps.sent;
    const auto& seconds = sm.last_report().seconds;
    repair.seconds += seconds.lids + seconds.route + seconds.verify + seconds.diff;
  }
  repair.routed_anew = sm.heavy_sweeps() > before && sm.settled() && sm.last_report().up;
}

Repair play(const Fabric& fabric, const SmOptions& options, const EmulatorOptions& emulator,
            const Failure& failure) {
  Repair repair{.failure = failure};
  const EndportId seat = seat_for(fabric, failure);
  if (seat == kNoEndport) return repair;
  Ground ground(fabric, options, emulator, seat);
  if (!ground.bring_up()) return repair;
  EmulatedFabric& emulated = ground.emulated();
  const auto lidded = read_fabric(emulated);
  if (!lidded) return repair;
  const Routes whole = read_choices(emulated);
  const std::uint64_t pairs = connected(*lidded, whole);
  const std::vector<PortId> cut = ports_of(fabric, failure);
  const Fabric left = without(*lidded, {}, cut);

  emulated.reset_counters();
  const TimeNs failed_at = emulated.clock().now();
  for (const PortId port : cut) emulated.cut_cable(port);
  for (const SwitchId sw : failure.switches) emulated.kill_node(Fabric::node_of(sw));
  const Routes noticed = read_choices(emulated);
  // The manager works meanwhile, but long before it has looked around all has been told.
  std::optional<Routes> told;
  std::function<void(EmulatedFabric&)> look = [&](EmulatedFabric& now) {
    if (now.pending_notifications() > 0)
      now.schedule(now.clock().now() + kLook, look);
    else
      told = read_choices(now);
  };
  emulated.schedule(failed_at, look);
  route_anew(ground, failed_at, repair);
  CHECK(told.has_value());

  repair.notifications = emulated.counters().notifications;
  if (repair.notifications.last_use > failed_at)
    repair.repaired_after = repair.notifications.last_use - failed_at;
  repair.pairs_cut = pairs - connected(left, whole);
  repair.pairs_noticed = pairs - connected(left, noticed);
  if (repair.routed_anew)
    repair.pairs_lost = pairs - std::min(pairs, ground.sm().snapshot()->verdict.ca_to_ca.arrived);
  const Verdict verdict = judge(left, *told, std::numeric_limits<std::size_t>::max());
  repair.credit_loop = verdict.has_credit_loop();
  const std::uint64_t after = pairs - verdict.ca_to_ca.arrived;
  // Pairs of which no way is left wait for nothing.
  repair.pairs_cut -= std::min(repair.pairs_cut, repair.pairs_lost);
  repair.pairs_noticed -= std::min(repair.pairs_noticed, repair.pairs_lost);
  repair.pairs_waiting = after - std::min(after, repair.pairs_lost);
  if (repair.routed_anew)
    repair.waiting = waiting(left, ground.sm().snapshot()->fabric, verdict.failures);
  return repair;
}

}  // namespace

Result<RepairStudy> study_repairs(const Fabric& fabric, const SmOptions& options,
                                  const EmulatorOptions& emulator,
                                  std::span<const Failure> failures, unsigned threads) {
  const EndportId seat = seat_for(fabric, {});
  if (seat == kNoEndport)
    return fail(Code::kUnroutable, "the fabric has no host to put the subnet manager on");
  RepairStudy study;
  {
    Ground ground(fabric, options, emulator, seat);
    if (!ground.bring_up())
      return fail(Code::kUnroutable, "the subnet manager cannot bring the emulated fabric up: {}",
                  ground.sm().last_report().error);
    study.switches = ground.sm().last_report().adaptive.on;
    study.notifying = ground.sm().last_report().adaptive.notifying;
    study.roles = count_notifications(ground.sm().snapshot()->routes);
  }
  study.repairs.resize(failures.size());
  parallel_for(failures.size(), threads, [&](std::size_t i) {
    study.repairs[i] = play(fabric, options, emulator, failures[i]);
  });
  return study;
}

}  // namespace weft::cli
