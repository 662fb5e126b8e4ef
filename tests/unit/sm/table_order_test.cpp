// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of table writes: after every single write, in any order within a round, no destination
// has a new loop.
#include "sm/transition/table_order.h"

#include <algorithm>
#include <functional>

#include "fabric/generators/spec.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "unit/sm/replayed.h"

namespace weft {
namespace {

std::optional<Lfts> tables_of(const Fabric& fabric, const char* engine, std::uint64_t seed) {
  RoutingOptions options{.threads = 1, .seed = seed};
  if (seed != 0)
    options.roots = {SwitchId(static_cast<std::uint32_t>(seed % fabric.switch_count()))};
  auto routes = run_engine(*find_engine(engine), fabric, options);
  if (!routes) return std::nullopt;
  return std::move(routes->lfts);
}

constexpr const char* kEngines[] = {"minhop", "updn", "ftree", "nue", "dfsssp", "dnup"};

struct OrderCase {
  std::string name;
  Fabric fabric;  // after the change
  Lfts before;    // old tables, with the ids of `fabric`
  Lfts wanted;
};

/// Calls `body` for each old engine with one of the new engines, on the same fabric and, if no
/// cables are missing yet, after failures of 1 and of 3 cables.
void for_each_case(const std::function<void(const OrderCase&)>& body) {
  std::uint64_t seed = 0;
  for (const char* spec : kSmallSpecs) {
    const std::string text = spec;
    const Fabric whole = fabric_of(text);
    std::vector<Fabric> after{whole};
    if (text.find("fail=") == std::string::npos)
      for (const char* damage : {",fail=1,seed=1,connected=0", ",fail=3,seed=2,connected=0"})
        if (const auto fabric = generate(text + damage)) after.push_back(fabric_of(text + damage));
    for (const char* old_engine : kEngines) {
      const auto old = tables_of(whole, old_engine, 0);
      if (!old) continue;
      for (const Fabric& fabric : after) {
        const char* engine = kEngines[++seed % std::size(kEngines)];
        const auto wanted = tables_of(fabric, engine, seed);
        if (!wanted) continue;
        body({fmt::format("{} from {} to {}, case {}", spec, old_engine, engine, seed), fabric,
              carry_over(whole, *old, fabric), *wanted});
      }
    }
  }
}

TEST(TableOrder, KeepsEveryDestinationFreeOfLoopsAfterEverySingleWrite) {
  std::uint64_t unordered_loops = 0, cases = 0, extra = 0, writes = 0;
  std::size_t rounds_most = 0;
  for_each_case([&](const OrderCase& c) {
    const HeldTables held = held_tables_of(c.fabric, c.before);
    const std::vector<Op> ops = differing_writes(c.fabric, held, c.wanted);
    const TableOrder order = order_tables(c.fabric, held, c.wanted, ops, {}, 1);
    EXPECT_EQ(order.unordered_lids, 0u) << c.name;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Rng rng(seed);
      Replay replay(c.fabric, c.before, c.wanted);
      replay.play(order.ops, order.rounds, seed == 1 ? nullptr : &rng);
      EXPECT_EQ(replay.loops(), 0u) << c.name << ", seed " << seed;
      EXPECT_EQ(replay.tables(), c.wanted) << c.name << ", seed " << seed;
    }
    Replay unordered(c.fabric, c.before, c.wanted);
    unordered.play(ops, {}, nullptr);
    unordered_loops += unordered.loops();
    if (unordered.loops() > 0) {
      EXPECT_GT(order.ordered_lids, 0u) << c.name;
    }
    ++cases;
    extra += order.extra_writes;
    writes += ops.size();
    rounds_most = std::max(rounds_most, order.rounds.ends.size());
  });
  // With fewer cases the test would not detect an error.
  EXPECT_GT(cases, 200u);
  EXPECT_GT(unordered_loops, 1000u);
  RecordProperty("extra", static_cast<int>(extra));
  fmt::print("{} cases, {} loops in switch order, {} writes, {} extra, at most {} rounds\n", cases,
             unordered_loops, writes, extra, rounds_most);
}

TEST(TableOrder, IsTheSameForAnyNumberOfThreads) {
  for_each_case([&](const OrderCase& c) {
    const HeldTables held = held_tables_of(c.fabric, c.before);
    const std::vector<Op> ops = differing_writes(c.fabric, held, c.wanted);
    const TableOrder one = order_tables(c.fabric, held, c.wanted, ops, {}, 1);
    const TableOrder many = order_tables(c.fabric, held, c.wanted, ops, {}, 5);
    ASSERT_EQ(one.ops, many.ops) << c.name;
    ASSERT_EQ(one.rounds, many.rounds) << c.name;
  });
}

/// A ring of four with a host on S0: the routes to the host change direction around the ring.
TEST(TableOrder, ReversesARingBeginningAtTheDestination) {
  //  S0 - S1 - S2 - S3 - S0
  const Fabric fabric = Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).build();
  const Lid host = fabric.endport(EndportId(4)).lid;
  Lfts before(4, fabric.lid_top()), wanted(4, fabric.lid_top());
  const auto to = [&](std::uint32_t from, std::uint32_t next) {
    for (const Channel& channel : fabric.channels_from(SwitchId(from)))
      if (channel.to == SwitchId(next)) return channel.from_port;
    return kNoRoute;
  };
  before.set(SwitchId(0), host, PortNum(3));
  wanted.set(SwitchId(0), host, PortNum(3));
  for (const std::uint32_t s : {1u, 2u, 3u}) {
    before.set(SwitchId(s), host, to(s, s - 1));
    wanted.set(SwitchId(s), host, to(s, (s + 1) % 4));
  }
  const HeldTables held = held_tables_of(fabric, before);
  const auto ops = differing_writes(fabric, held, wanted);
  ASSERT_EQ(ops.size(), 3u);
  const TableOrder order = order_tables(fabric, held, wanted, ops, {}, 1);
  EXPECT_EQ(order.ops, (std::vector<Op>{{3, 0}, {2, 0}, {1, 0}}));
  EXPECT_EQ(order.rounds.ends, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_TRUE(order.rounds.parts.empty());
  EXPECT_EQ(order.ordered_lids, 1u);

  // If no tables are known, all switches drop packets, and one round is sufficient.
  const TableOrder first = order_tables(fabric, {}, wanted, ops, {}, 1);
  EXPECT_EQ(first.ops, ops);
  EXPECT_EQ(first.rounds.ends, (std::vector<std::size_t>{3}));
}

/// Two hosts with LIDs in the same block that need opposite orders: the switches between them are
/// written twice.
TEST(TableOrder, WritesABlockInPartsForOppositeOrders) {
  //  S0 - S1 - S2 - S3 - S0; H0 at S0 and H1 at S2
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(2).build();
  const auto to = [&](std::uint32_t from, std::uint32_t next) {
    for (const Channel& channel : fabric.channels_from(SwitchId(from)))
      if (channel.to == SwitchId(next % 4)) return channel.from_port;
    return kNoRoute;
  };
  Lfts before(4, fabric.lid_top()), wanted(4, fabric.lid_top());
  for (const unsigned host : {0u, 1u}) {
    const Lid lid = fabric.endport(EndportId(4 + host)).lid;
    const std::uint32_t destination = 2 * host;
    for (const std::uint32_t distance : {1u, 2u, 3u}) {
      const std::uint32_t s = (destination + distance) % 4;
      before.set(SwitchId(s), lid, to(s, s + 3));
      wanted.set(SwitchId(s), lid, to(s, s + 1));
    }
    before.set(SwitchId(destination), lid, PortNum(3));
    wanted.set(SwitchId(destination), lid, PortNum(3));
  }
  const HeldTables held = held_tables_of(fabric, before);
  const auto ops = differing_writes(fabric, held, wanted);
  const TableOrder order = order_tables(fabric, held, wanted, ops, {}, 1);
  EXPECT_GT(order.extra_writes, 0u);
  EXPECT_EQ(order.rounds.ends.size(), 3u);
  Replay replay(fabric, before, wanted);
  replay.play(order.ops, order.rounds, nullptr);
  EXPECT_EQ(replay.loops(), 0u);
  EXPECT_EQ(replay.tables(), wanted);
}

TEST(TableOrder, WritesLaterStagesAfterEarlierStages) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=6");  // two blocks of LIDs
  const auto before = tables_of(fabric, "updn", 0), wanted = tables_of(fabric, "minhop", 0);
  ASSERT_TRUE(before && wanted);
  const HeldTables held = held_tables_of(fabric, *before);
  const auto ops = differing_writes(fabric, held, *wanted);
  const std::vector<std::uint16_t> stages{1, 0};
  const TableOrder order = order_tables(fabric, held, *wanted, ops, stages, 1);
  const auto first_of_0 = std::ranges::find(order.ops, 0, &Op::index);
  EXPECT_TRUE(
      std::all_of(order.ops.begin(), first_of_0, [](const Op& op) { return op.index == 1; }));
  EXPECT_TRUE(std::all_of(first_of_0, order.ops.end(), [](const Op& op) { return op.index == 0; }));
  Replay replay(fabric, *before, *wanted);
  replay.play(order.ops, order.rounds, nullptr);
  EXPECT_EQ(replay.loops(), 0u);
  EXPECT_EQ(replay.tables(), *wanted);
}

/// New routes that were not verified and loop are reported, and the function terminates.
TEST(TableOrder, ReportsNewRoutesThatLoop) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).link(2, 0).hosts(0).build();
  const Lid host = fabric.endport(EndportId(3)).lid;
  Lfts before(3, fabric.lid_top()), wanted(3, fabric.lid_top());
  for (std::uint32_t s = 0; s < 3; ++s)
    for (const Channel& channel : fabric.channels_from(SwitchId(s)))
      (channel.to.value() == (s + 1) % 3 ? wanted : before)
          .set(SwitchId(s), host, channel.from_port);
  const HeldTables held = held_tables_of(fabric, before);
  const TableOrder order =
      order_tables(fabric, held, wanted, differing_writes(fabric, held, wanted), {}, 1);
  EXPECT_EQ(order.unordered_lids, 1u);
  Replay replay(fabric, before, wanted);
  replay.play(order.ops, order.rounds, nullptr);
  EXPECT_EQ(replay.tables(), wanted);
}

}  // namespace
}  // namespace weft
