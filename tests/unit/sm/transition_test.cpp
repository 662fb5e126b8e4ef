// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Route updates on a running fabric: after every single table SMP no destination has a new loop.
#include "sm/transition/transition.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "support/fabrics.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

/// Counts loops that changes of tables cause; count_loops() must be called after every table SMP.
class LoopCounter {
 public:
  explicit LoopCounter(ManagedSubnet& managed) : managed_(managed) { remember(); }

  /// Ignores the loops that exist now.
  void remember() {
    tables_.clear();
    for (std::uint32_t s = 0; s < managed_.fabric().switch_count(); ++s) {
      const auto lft = managed_.emulated().lft(SwitchId(s));
      tables_.emplace_back(lft.begin(), lft.end());
    }
    loops_before_.clear();
    for (unsigned lid = 1; lid < kLidUnicastLast.value() && lid < size(); ++lid)
      for (std::uint32_t s = 0; s < tables_.size(); ++s)
        if (loops(s, lid)) loops_before_.insert({s, lid});
  }

  /// Counts entries that changed since the last call and through which a packet returns to its
  /// switch, loops that existed at remember() excepted.
  void count_loops() {
    for (std::uint32_t s = 0; s < tables_.size(); ++s) {
      const auto lft = managed_.emulated().lft(SwitchId(s));
      if (std::ranges::equal(lft, tables_[s])) continue;
      std::vector<std::uint8_t> was(lft.begin(), lft.end());
      was.swap(tables_[s]);
      was.resize(tables_[s].size(), kNoRoute.value());
      ++changes_;
      for (unsigned lid = 1; lid < tables_[s].size(); ++lid)
        if (was[lid] != tables_[s][lid] && loops(s, lid) && !loops_before_.contains({s, lid}))
          ++loops_;
    }
  }

  std::uint64_t loops() const { return loops_; }
  std::uint64_t changes() const { return changes_; }

 private:
  std::size_t size() const {
    std::size_t most = 0;
    for (const auto& table : tables_) most = std::max(most, table.size());
    return most;
  }
  bool loops(std::uint32_t start, unsigned lid) const {
    const Fabric& fabric = managed_.fabric();
    std::uint32_t at = start;
    for (std::size_t steps = 0; steps <= tables_.size(); ++steps) {
      if (lid >= tables_[at].size()) return false;
      const PortNum port(tables_[at][lid]);
      const ChannelId next = fabric.channel_at(SwitchId(at), port);
      if (next == kNoChannel) return false;
      // A cable that is unplugged, or was just plugged in, carries no packets.
      if (!managed_.emulated().carries_data(fabric.port_id(NodeId(at), port))) return false;
      at = fabric.channel(next).to.value();
      if (at == start) return true;
    }
    return false;
  }

  ManagedSubnet& managed_;
  std::vector<std::vector<std::uint8_t>> tables_;  // by switch, at the last call
  std::set<std::pair<std::uint32_t, unsigned>> loops_before_;
  std::uint64_t loops_ = 0;
  std::uint64_t changes_ = 0;
};

constexpr const char* kEngineOrder[] = {"updn", "ftree", "minhop", "nue", "dfsssp", "dnup", "updn"};

struct Outcome {
  std::uint64_t loops = 0, changes = 0, ordered = 0;
};

/// Routes one fabric with one engine after another. In most cases a cable is unplugged between two
/// engines, and plugged in before the next engine.
Outcome route_in_turn(const std::string& spec, std::uint64_t seed, bool safe) {
  ManagedSubnet managed(fabric_of(spec));
  managed.options.safe_transitions = safe;
  // minhop's routes may deadlock, which is not tested here.
  managed.options.verify = VerifyMode::kWarn;
  // A copy of a Set that arrives after its retry overwrites newer Sets. A long timeout prevents
  // retries.
  managed.options.transaction_timeout = std::chrono::seconds(10);
  managed.start();
  EXPECT_TRUE(managed.settle()) << spec;
  Rng rng(seed);
  Outcome outcome;
  std::optional<LoopCounter> counter;
  // The filter is called when an SMP leaves a node, therefore after each SMP that took effect.
  // Delays change the order of SMPs.
  managed.emulated().set_filter([&](const Smp&, NodeId, NodeId) {
    if (counter) counter->count_loops();
    return rng.chance(0.2) ? EmulatedFabric::Delivery::kDelay : EmulatedFabric::Delivery::kPass;
  });
  std::optional<PortId> unplugged;
  for (const char* engine : kEngineOrder) {
    managed.options.routing_engine = {{engine}, true};
    managed.options.rebalance = rng.chance(0.5);
    if (unplugged) managed.emulated().restore_cable(*unplugged);
    unplugged.reset();
    const Fabric& fabric = managed.fabric();
    if (fabric.channel_count() > 0 && rng.chance(0.6)) {
      const Channel& channel =
          fabric.channel(ChannelId(static_cast<std::uint32_t>(rng.below(fabric.channel_count()))));
      unplugged = fabric.port_id(Fabric::node_of(channel.from), channel.from_port);
      managed.emulated().cut_cable(*unplugged);
    }
    managed.emulated().run_for(std::chrono::seconds(1));
    counter.emplace(managed);
    managed.sm().set_options(managed.options);
    managed.sm().request_heavy_sweep("test");
    EXPECT_TRUE(managed.settle()) << spec << " " << engine;
    outcome.loops += counter->loops();
    outcome.changes += counter->changes();
    outcome.ordered += managed.report().transition.ordered_lids;
  }
  return outcome;
}

TEST(Transition, KeepsDestinationsFreeOfLoopsBetweenAnyTwoSmps) {
  std::uint64_t changes = 0, unordered = 0, seed = 0;
  for (const char* spec : kSmallSpecs) {
    const Outcome safe = route_in_turn(spec, ++seed, true);
    EXPECT_EQ(safe.loops, 0u) << spec << ", seed " << seed;
    changes += safe.changes;
    unordered += route_in_turn(spec, seed, false).loops;
  }
  EXPECT_GT(changes, 500u);
  EXPECT_GT(unordered, 100u);  // writes in the order of switches do cause loops
}

TEST(Transition, AddsNoWritesOnTheFirstBringUp) {
  ManagedSubnet managed(fabric_of("torus:4x4,hosts=2"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().transition.rounds, 1u);
  EXPECT_EQ(managed.report().transition.extra_writes, 0u);
  EXPECT_EQ(managed.report().table_blocks_written(), managed.fabric().switch_count());
  expect_managed(managed);
}

/// The first four Sets of tables are lost and not repeated: writes that depend on them are skipped,
/// and the next sweep makes them.
TEST(Transition, SkipsWritesThatDependOnAFailedWrite) {
  ManagedSubnet managed(fabric_of("ring:n=6,hosts=2"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  std::uint64_t seen = 0;
  LoopCounter counter(managed);
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId) {
    counter.count_loops();
    const bool table =
        smp.method == Method::kSet && smp.attribute == AttributeId::kLinearForwardingTable;
    return table && ++seen <= 4 ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.options.transaction_retries = 0;
  managed.options.routing_engine = {{"nue"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.run_for(std::chrono::minutes(1));
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(counter.loops(), 0u);
  EXPECT_GT(seen, 4u);
  expect_managed(managed);
}

}  // namespace
}  // namespace weft
