// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Time to compute the order of table writes (docs/explanation/transitions.md) after one link of a
// tree fails; the new tables keep all valid routes. The argument is the number of hosts: 16, 3,456,
// or 43,008.
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "base/check.h"
#include "fabric/without.h"
#include "routes/carry_over.h"
#include "routing/updn.h"
#include "sm/transition/transition.h"
#include "subnets.h"

namespace weft {
namespace {

Fabric tree_of(std::int64_t hosts) {
  static const std::map<std::int64_t, std::string> kSpecs{
      {16, "fattree3:k=4"}, {3456, "fattree3:k=24"}, {43008, "fattree3:k=64,pods=42"}};
  return subnet_of(kSpecs.at(hosts));
}

/// Fabric and routes before and after the failure, the tables in the switches, and the blocks that
/// differ.
struct Cut {
  Fabric whole, left;
  Routes before, after;
  HeldTables held;
  std::vector<Op> ops;
};

Cut cut_of(std::int64_t hosts) {
  Cut cut;
  cut.whole = tree_of(hosts);
  cut.before = *route_updn(cut.whole, {});
  const Channel& cable = cut.whole.channel(ChannelId(cut.whole.channel_count() / 2));
  const PortId end = cut.whole.port_id(Fabric::node_of(cable.from), cable.from_port);
  cut.left = without(cut.whole, {}, std::span(&end, 1));
  RoutingOptions options;
  options.previous = carry_over(cut.whole, cut.before.lfts, cut.left);
  options.previous_engine = cut.before.engine;
  cut.after = *route_updn(cut.left, options);
  const Lfts& lfts = cut.after.lfts;
  for (std::uint32_t s = 0; s < cut.left.switch_count(); ++s) {
    HeldTable& table = cut.held.at(cut.left.node(SwitchId(s)).node_guid);
    for (std::size_t b = 0; b < lfts.blocks(); ++b) {
      table.remember(b, options.previous->block(SwitchId(s), b));
      if (!table.holds(b, lfts.block(SwitchId(s), b)))
        cut.ops.push_back({s, static_cast<std::uint16_t>(b)});
    }
  }
  return cut;
}

void bm_transition(benchmark::State& state) {
  const Cut cut = cut_of(state.range(0));
  TransitionReport report;
  for (auto _ : state) {
    Plan plan;
    plan[Phase::kTables] = cut.ops;
    report = plan_transition(cut.left, cut.held, cut.after, {&cut.whole, &cut.before}, plan, 0);
  }
  state.counters["blocks"] = static_cast<double>(cut.ops.size());
  state.counters["rounds"] = static_cast<double>(report.rounds);
}

BENCHMARK(bm_transition)
    ->ArgName("hosts")
    ->Arg(16)
    ->Arg(3456)
    ->Arg(43008)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace weft
