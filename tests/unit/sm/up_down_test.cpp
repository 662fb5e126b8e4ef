// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The optimized parts of the deadlock check of updates, compared with simple computations of the
// same result.
#include "sm/transition/up_down.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "fabric/generators/spec.h"
#include "fabric/without.h"
#include "routing/engine.h"
#include "sm/transition/exposure.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "unit/sm/replayed.h"

namespace weft {
namespace {

/// Distance of each switch from the nearest switch with hosts.
std::vector<std::uint32_t> distances_from_leaves(const Fabric& fabric) {
  std::vector<std::uint32_t> rank(fabric.switch_count(), ~std::uint32_t{0}), queue;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) {
      rank[s] = 0;
      queue.push_back(s);
    }
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head])))
      if (rank[channel.to.value()] == ~std::uint32_t{0}) {
        rank[channel.to.value()] = rank[queue[head]] + 1;
        queue.push_back(channel.to.value());
      }
  return rank;
}

/// Whether packets only go up and then down, with wanted and held entries in any mix. For LIDs of
/// hosts every entry is followed, for LIDs of switches only entries that packets from hosts reach.
bool plainly_up_and_down(const Fabric& fabric, const Lfts& wanted, const HeldTables& held,
                         const std::vector<std::uint32_t>& rank) {
  for (unsigned value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch) continue;
    const bool of_switch = fabric.is_switch(fabric.endport(owner).node);
    std::set<std::pair<std::uint32_t, bool>> seen;  // switch, and whether packets come from above
    std::vector<std::pair<std::uint32_t, bool>> pending;
    const auto come = [&](std::uint32_t s, bool from_above) {
      if (seen.emplace(s, from_above).second) pending.emplace_back(s, from_above);
    };
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (!of_switch || rank[s] == 0) come(s, false);
    while (!pending.empty()) {
      const auto [s, from_above] = pending.back();
      pending.pop_back();
      const HeldTable* table = held.find(fabric.node(SwitchId(s)).node_guid);
      for (const PortNum out :
           {wanted.port(SwitchId(s), lid), table == nullptr ? kNoRoute : table->port(lid)}) {
        const ChannelId id = out == kNoRoute ? kNoChannel : fabric.channel_at(SwitchId(s), out);
        if (id == kNoChannel) continue;
        const std::uint32_t to = fabric.channel(id).to.value();
        if (rank[to] == rank[s] || (rank[to] > rank[s] && from_above)) return false;
        come(to, rank[to] < rank[s]);
      }
    }
  }
  return true;
}

bool fast_up_and_down(const Fabric& fabric, const Lfts& wanted, const HeldTables& held,
                      const std::vector<std::uint32_t>& rank, unsigned threads) {
  std::vector<const HeldTable*> tables;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    tables.push_back(held.find(fabric.node(SwitchId(s)).node_guid));
  const auto ops = differing_writes(fabric, held, wanted);
  return UpDownCheck(fabric, wanted, tables, ops, rank).holds(threads);
}

/// Replaces random entries, most of them by ports to switches.
void damage(const Fabric& fabric, Rng& rng, unsigned count, Lfts& lfts) {
  for (unsigned i = 0; i < count; ++i) {
    const SwitchId sw(static_cast<std::uint32_t>(rng.below(fabric.switch_count())));
    const Lid lid(static_cast<std::uint16_t>(1 + rng.below(fabric.lid_top().value())));
    const auto channels = fabric.channels_from(sw);
    lfts.set(sw, lid,
             rng.below(5) == 0 ? kNoRoute : channels[rng.below(channels.size())].from_port);
  }
}

TEST(UpDownCheck, EqualsThePlainCheckOnDamagedTables) {
  std::uint64_t good = 0, bad = 0;
  for (const char* spec :
       {"fattree3:k=4", "fattree3:k=8", "fattree2:k=8", "fattree3:k=8,fail=9,seed=2",
        "torus:3x3,hosts=1", "dragonfly:a=4,h=2,p=2", "random:n=12,degree=4,hosts=2,seed=3"}) {
    const Fabric fabric = fabric_of(spec);
    const auto rank = distances_from_leaves(fabric);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng = Rng(seed).fork(5);
      RoutingOptions options{.threads = 1};
      options.roots = {SwitchId(static_cast<std::uint32_t>(rng.below(fabric.switch_count())))};
      auto before = run_engine(*find_engine("minhop"), fabric, {.threads = 1});
      auto wanted = run_engine(*find_engine(seed % 2 == 0 ? "minhop" : "updn"), fabric, options);
      ASSERT_TRUE(before && wanted) << spec;
      damage(fabric, rng, static_cast<unsigned>(seed % 4), before->lfts);
      damage(fabric, rng, static_cast<unsigned>(seed / 4 % 3), wanted->lfts);
      const HeldTables held = held_tables_of(fabric, before->lfts);
      const bool plain = plainly_up_and_down(fabric, wanted->lfts, held, rank);
      ++(plain ? good : bad);
      for (const unsigned threads : {1u, 2u})
        EXPECT_EQ(fast_up_and_down(fabric, wanted->lfts, held, rank, threads), plain)
            << spec << " seed " << seed;
    }
  }
  // With fewer cases the test would not detect an error.
  EXPECT_GT(good, 20u);
  EXPECT_GT(bad, 20u);
}

PortNum port_towards(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
  for (const Channel& channel : fabric.channels_from(SwitchId(from)))
    if (channel.to == SwitchId(to)) return channel.from_port;
  return kNoRoute;
}

//  H0 - S0 - S1 - H1, and the spine S2 over S0 and S1. Packets to port 0 of a switch pass S2.
TEST(UpDownCheck, FindsEntriesForHostsBetweenSwitchesAtEqualDistance) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).link(0, 1).hosts(0, 1).hosts(1, 1).build();
  auto routes = run_engine(*find_engine("minhop"), fabric, {.threads = 1});
  ASSERT_TRUE(routes);
  Lfts lfts = routes->lfts;
  const auto send_over_top = [&](EndportId destination) {
    const Endport& to = fabric.endport(destination);
    const std::uint32_t other = 1 - to.sw.value();
    lfts.set(SwitchId(other), to.lid, port_towards(fabric, other, 2));
  };
  send_over_top(EndportId(0));
  send_over_top(EndportId(1));
  const HeldTables held = held_tables_of(fabric, lfts);
  EXPECT_FALSE(fast_up_and_down(fabric, lfts, held, distances_from_leaves(fabric), 1));
  send_over_top(EndportId(3));
  send_over_top(EndportId(4));
  EXPECT_TRUE(fast_up_and_down(fabric, lfts, held_tables_of(fabric, lfts),
                               distances_from_leaves(fabric), 1));
}

/// The same routes with a separate SL2VL map for one pair of ports, so that the general computation
/// for several VLs is used.
Routes with_separate_map(Routes routes) {
  SlMap other = routes.sl2vl.common();
  other[kSlCount - 1] = 1;  // no path uses this SL
  routes.sl2vl.set(SwitchId(0), PortNum(1), PortNum(1), other);
  EXPECT_FALSE(routes.sl2vl.uniform());
  return routes;
}

TEST(DependenciesOnOneVl, EqualTheResultOfTheGeneralComputation) {
  std::uint64_t cyclic = 0, acyclic = 0;
  for (const char* spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec);
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Rng rng = Rng(seed).fork(6);
      auto before = run_engine(*find_engine("minhop"), fabric, {.threads = 1});
      auto wanted =
          run_engine(*find_engine(seed % 2 == 0 ? "minhop" : "updn"), fabric, {.threads = 1});
      if (!before || !wanted) continue;
      damage(fabric, rng, static_cast<unsigned>(seed), before->lfts);
      const HeldTables held = held_tables_of(fabric, before->lfts);
      const auto ops = differing_writes(fabric, held, wanted->lfts);
      const Routes before2 = with_separate_map(*before);
      const ExposureChecker fast(fabric, held, *wanted, {&fabric, &*before}, ops, 1, false);
      const ExposureChecker plain(fabric, held, *wanted, {&fabric, &before2}, ops, 1, false);
      const DependencyGraph lasting = fast.lasting_dependencies();
      const DependencyGraph lasting2 = plain.lasting_dependencies();
      EXPECT_EQ(lasting.edge_count(), lasting2.edge_count()) << spec << " seed " << seed;
      for (const EntryState state : {EntryState::kOld, EntryState::kNew, EntryState::kBoth}) {
        const std::vector<EntryState> blocks(wanted->lfts.blocks(), state);
        const std::uint64_t found = fast.channels_on_cycles(blocks, &lasting);
        EXPECT_EQ(found, plain.channels_on_cycles(blocks, &lasting2)) << spec << " seed " << seed;
        ++(found > 0 ? cyclic : acyclic);
      }
    }
  }
  EXPECT_GT(cyclic, 20u);
  EXPECT_GT(acyclic, 20u);
}

}  // namespace
}  // namespace weft
