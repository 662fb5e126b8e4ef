// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the verifier with the plain verifier, which follows each packet, and incremental proofs
// with complete proofs, on random fabrics of many generators: with missing cables, several LIDs per
// port, several VLs, and wrong tables. Each case has its own seed; WEFT_CASE=N runs case N only.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <span>
#include <vector>

#include "base/rng.h"
#include "fabric/generators/spec.h"
#include "fabric/without.h"
#include "unit/verify/plain_verifier.h"
#include "unit/verify/tables.h"
#include "verify/proof.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr std::uint64_t kSeedOfCases = 28;
constexpr std::uint64_t kCases = 20'000;
constexpr std::uint64_t kCasesOfChanges = 8'000;
constexpr std::uint64_t kAdaptiveCases = 3'000;
constexpr std::uint64_t kPrivateCases = 200;

/// Fabrics of 2 to 12 switches.
constexpr std::array kTinySpecs{
    "fattree2:k=2",
    "fattree2:k=4",
    "fattree2:k=4,trunks=2",
    "xgft:m=2x2,w=1x2",
    "xgft:m=1x2x2,w=1x2x2",
    "torus:3x2,hosts=1",
    "torus:2x2x2,hosts=1",
    "mesh:2x4,hosts=1",
    "ring:n=5,hosts=2",
    "ring:n=2,hosts=2",
    "hypercube:n=3",
    "hyperx:2x3,hosts=1",
    "dragonfly:a=2,h=1,p=1",
    "dragonflyplus:leaves=2,spines=2,h=1,hosts=1",
    "kautz:b=2,n=1",
    "full:n=4,hosts=2",
    "random:n=6,degree=3,hosts=1,seed=1",
    "random:n=8,degree=2,seed=7",
};

struct Case {
  Fabric fabric;
  Routes routes;
  VerifyOptions options;
};

std::vector<Fabric> intact_fabrics() {
  std::vector<Fabric> fabrics;
  for (const char* spec : kTinySpecs) fabrics.push_back(*generate(spec));
  return fabrics;
}

/// The fabric, possibly without some cables or a switch.
Fabric damaged_fabric(const Fabric& fabric, Rng& rng) {
  std::vector<PortId> cut;
  std::vector<NodeId> removed;
  const double share = rng.chance(0.5) ? 0 : 0.2;
  for (std::uint32_t port = 0; port < fabric.port_count(); ++port)
    if (fabric.port(PortId(port)).peer != kNoPort && rng.chance(share / 2))
      cut.push_back(PortId(port));
  if (rng.chance(0.1))
    removed.push_back(NodeId(static_cast<std::uint32_t>(rng.below(fabric.switch_count()))));
  return without(fabric, removed, cut);
}

/// The fabric with LIDs in the order of endports or in random order, dense or with gaps, in one or
/// several LFT blocks, with LMC 0 to 2.
Fabric with_random_lids(const Fabric& fabric, Rng& rng) {
  const auto lmc = static_cast<std::uint8_t>(rng.chance(0.3) ? 1 + rng.below(2) : 0);
  const std::uint64_t gap = rng.chance(0.5) ? 1 : 1 + rng.below(60);
  std::vector<LidRange> ranges(fabric.endport_count());
  std::vector<std::uint32_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0u);
  if (rng.chance(0.5)) rng.shuffle(std::span(order));
  std::uint64_t next = 1 + rng.below(4) * rng.below(200);
  for (const std::uint32_t id : order) {
    const bool is_switch = fabric.is_switch(fabric.endport(EndportId(id)).node);
    const std::uint64_t count = is_switch ? 1 : std::uint64_t{1} << lmc;
    next = (next + count - 1) / count * count;
    ranges[id] = {Lid(static_cast<std::uint16_t>(next)), is_switch ? std::uint8_t{0} : lmc};
    next += count + rng.below(gap);
  }
  return *fabric.with_lids(ranges);
}

/// By switch: the number of hops to `to`; 1000 if there is no path.
std::vector<std::uint32_t> distances(const Fabric& fabric, SwitchId to) {
  std::vector<std::uint32_t> hops(fabric.switch_count(), 1000);
  std::vector<SwitchId> queue{to};
  hops[to.value()] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(queue[head])) {
      if (hops[channel.to.value()] != 1000) continue;
      hops[channel.to.value()] = hops[queue[head].value()] + 1;
      queue.push_back(channel.to);
    }
  return hops;
}

/// Shortest paths to the LIDs up to `top`. If `mixed`, next hops are selected anew for each LID. If
/// `changes_rank`, all hops change the distance from one random switch, so that there are fewer
/// credit loops.
void route(Case& drawn, bool mixed, bool changes_rank, Lid top, Rng& rng) {
  const Fabric& fabric = drawn.fabric;
  drawn.routes.lfts = Lfts(fabric.switch_count(), top);
  const auto root = SwitchId(static_cast<std::uint32_t>(rng.below(fabric.switch_count())));
  const auto rank = distances(fabric, root);
  for (const Endport& to : fabric.endports()) {
    if (to.sw == kNoSwitch) continue;
    const auto hops = distances(fabric, to.sw);
    for (const Lid lid : lids_of(to)) {
      if (lid > top) continue;
      const std::uint64_t first = mixed ? rng.below(8) : 0;
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        if (SwitchId(s) == to.sw) {
          drawn.routes.lfts.set(to.sw, lid, to.sw_port);
          continue;
        }
        const auto channels = fabric.channels_from(SwitchId(s));
        for (std::size_t i = 0; i < channels.size(); ++i) {
          const Channel& channel = channels[(i + first) % channels.size()];
          const bool nearer = hops[channel.to.value()] + 1 == hops[s];
          if (!nearer || (changes_rank && rank[channel.to.value()] == rank[s])) continue;
          drawn.routes.lfts.set(SwitchId(s), lid, channel.from_port);
          break;
        }
      }
    }
  }
}

/// Sets random entries to random ports, which may have no cable or another endport or cause a loop,
/// or to no route.
void break_entries(Case& drawn, std::uint64_t count, Rng& rng) {
  const Fabric& fabric = drawn.fabric;
  for (; count > 0; --count) {
    const SwitchId sw(static_cast<std::uint32_t>(rng.below(fabric.switch_count())));
    const auto& endport =
        fabric.endport(EndportId(static_cast<std::uint32_t>(rng.below(fabric.endport_count()))));
    const Lid lid(static_cast<std::uint16_t>(endport.lid.value() + rng.below(1u << endport.lmc)));
    if (lid > drawn.routes.lfts.top()) continue;
    const std::uint64_t port = rng.chance(0.3) ? 255 : rng.below(fabric.node(sw).port_count + 2u);
    drawn.routes.lfts.set(sw, lid, PortNum(static_cast<std::uint8_t>(port)));
  }
}

/// In some cases, adds entries for LIDs that no endport has, as if endports had been removed.
void add_stale_entries(Case& drawn, Rng rng) {
  if (!rng.chance(0.2)) return;
  for (unsigned value = 1; value <= drawn.routes.lfts.top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    if (drawn.fabric.endport_of(lid) != kNoEndport || !rng.chance(0.3)) continue;
    for (std::uint32_t s = 0; s < drawn.fabric.switch_count(); ++s) {
      const auto channels = drawn.fabric.channels_from(SwitchId(s));
      if (!channels.empty())
        drawn.routes.lfts.set(SwitchId(s), lid, channels[rng.below(channels.size())].from_port);
    }
  }
}

std::vector<std::uint8_t> random_sls(std::size_t count, unsigned sls, Rng& rng) {
  std::vector<std::uint8_t> table(count);
  for (std::uint8_t& sl : table) sl = static_cast<std::uint8_t>(rng.below(sls));
  return table;
}

void choose_lanes(Case& drawn, Rng& rng) {
  const std::uint32_t switches = drawn.fabric.switch_count();
  const Lid top = drawn.fabric.lid_top();
  const std::size_t lids = top.value() + std::size_t{1};
  const auto sls = static_cast<unsigned>(1 + rng.below(rng.chance(0.2) ? 16 : 4));
  Routes& routes = drawn.routes;
  switch (rng.below(4)) {
    case 0:
      routes.path_sl = PathSl::by_destination(random_sls(lids, sls, rng));
      break;
    case 1:
      routes.path_sl =
          PathSl::by_switch_pair(switches, random_sls(std::size_t{switches} * switches, sls, rng));
      break;
    case 2:
      routes.path_sl =
          PathSl::by_switch_and_lid(switches, top, random_sls(lids * switches, sls, rng));
      break;
    default:
      break;
  }
  routes.sl2vl = Sl2Vl(modulo_map(static_cast<unsigned>(1 + rng.below(rng.chance(0.3) ? 8 : 3))));
  for (std::uint64_t n = rng.chance(0.15) ? 1 + rng.below(4) : 0; n > 0; --n) {
    SlMap map = modulo_map(static_cast<unsigned>(1 + rng.below(4)));
    if (rng.chance(0.2)) map[rng.below(kSlCount)] = 15;
    const SwitchId sw(static_cast<std::uint32_t>(rng.below(switches)));
    const unsigned ports = drawn.fabric.node(sw).port_count + 1u;
    routes.sl2vl.set(sw, PortNum(static_cast<std::uint8_t>(rng.below(ports))),
                     PortNum(static_cast<std::uint8_t>(rng.below(ports))), map);
  }
}

Case draw(std::span<const Fabric> intact, Rng rng) {
  Case drawn;
  drawn.fabric = with_random_lids(damaged_fabric(intact[rng.below(intact.size())], rng), rng);
  const auto all = drawn.fabric.lid_top().value();
  const Lid top(static_cast<std::uint16_t>(rng.chance(0.05) ? 1 + rng.below(all) : all));
  route(drawn, rng.chance(0.6), rng.chance(0.5), top, rng);
  if (rng.chance(0.4)) break_entries(drawn, 1 + rng.below(rng.chance(0.2) ? 60 : 3), rng);
  if (rng.chance(0.6)) choose_lanes(drawn, rng);
  add_stale_entries(drawn, rng.fork(1));
  drawn.options.threads = static_cast<unsigned>(1 + rng.below(2));
  drawn.options.ignore_replies = rng.chance(0.2);
  return drawn;
}

void expect_same(const ReachCount& found, const ReachCount& wanted, const char* what) {
  EXPECT_EQ(found.pairs, wanted.pairs) << what;
  EXPECT_EQ(found.arrived, wanted.arrived) << what;
  EXPECT_EQ(found.cut_off, wanted.cut_off) << what;
}

void expect_same(const Verdict& found, const PlainVerdict& wanted) {
  expect_same(found.ca_to_ca, wanted.ca_to_ca, "CA to CA");
  expect_same(found.switch_to_ca, wanted.switch_to_ca, "switch to CA");
  expect_same(found.ca_to_switch, wanted.ca_to_switch, "CA to switch");
  expect_same(found.switch_to_switch, wanted.switch_to_switch, "switch to switch");
  EXPECT_EQ(found.loops, wanted.loops);
  EXPECT_EQ(found.dependencies, wanted.dependencies);
  EXPECT_EQ(!found.credit_loop.empty(), wanted.has_credit_loop);
  EXPECT_EQ(!found.credit_loop.empty() || !found.switch_credit_loop.empty(),
            wanted.has_any_credit_loop);
  EXPECT_EQ(found.single_sls, wanted.single_sls);
  std::uint64_t walks = 0;
  for (const BrokenSwitch& broken : found.broken) walks += broken.walks;
  EXPECT_EQ(walks, wanted.broken_walks);
  ASSERT_EQ(found.failures.size(), std::min(wanted.failures.size(), VerifyOptions{}.failures_max));
  for (std::size_t i = 0; i < found.failures.size(); ++i) {
    const auto& [source, lid, end] = wanted.failures[i];
    EXPECT_EQ(found.failures[i].source, source);
    EXPECT_EQ(found.failures[i].lid, lid);
    EXPECT_EQ(found.failures[i].end, end);
  }
}

/// The numbers of cases of each kind; the test fails if one is at most 1% of the cases.
struct Kinds {
  std::uint64_t passed = 0, looping = 0, incomplete = 0, credit_loops = 0, switch_loops = 0;

  void count(const PlainVerdict& verdict) {
    looping += verdict.loops > 0 ? 1 : 0;
    incomplete += verdict.ca_to_ca.all() ? 0 : 1;
    credit_loops += verdict.has_credit_loop ? 1 : 0;
    switch_loops += verdict.has_any_credit_loop && !verdict.has_credit_loop ? 1 : 0;
    passed += verdict.ca_to_ca.all() && !verdict.has_any_credit_loop ? 1 : 0;
  }
};

/// AR groups at some switches: the ports of shortest paths, and possibly one more port. In some
/// cases all LIDs of a block have the entry.
void choose_groups(Case& drawn, Rng& rng) {
  const Fabric& fabric = drawn.fabric;
  ArTables& tables = drawn.routes.adaptive.emplace(fabric.switch_count(), drawn.routes.lfts.top());
  const double share = rng.chance(0.5) ? 1 : 0.3;
  const double wrong = rng.chance(0.5) ? 0 : 0.05;
  for (const Endport& to : fabric.endports()) {
    if (to.sw == kNoSwitch) continue;
    const auto hops = distances(fabric, to.sw);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (!rng.chance(share)) continue;
      PortMask ports;
      if (SwitchId(s) == to.sw) ports.set(to.sw_port.value());
      for (const Channel& channel : fabric.channels_from(SwitchId(s)))
        if (hops[channel.to.value()] + 1 == hops[s]) ports.set(channel.from_port.value());
      if (rng.chance(wrong)) ports.set(rng.below(fabric.node(SwitchId(s)).port_count + 2u));
      const ArEntry entry{rng.chance(0.5) ? ArState::kFree : ArState::kBounded,
                          tables.add_group(SwitchId(s), ports)};
      for (const Lid lid : lids_of(to)) {
        if (lid > drawn.routes.lfts.top()) continue;
        if (rng.chance(0.1))
          tables.set_block(SwitchId(s), lid.value() / kLftBlock, entry);
        else
          tables.set(SwitchId(s), lid, entry);
      }
    }
  }
}

enum class Tables { kPlain, kAdaptive, kPrivate };

/// Adds private tables with groups of other ports to some switches, selected by input ports and
/// SLs. The ports lead to switches that are nearer to the LID, or for packets of hosts to any
/// neighbors; some are wrong.
void choose_private_tables(Case& drawn, Rng& rng) {
  const Fabric& fabric = drawn.fabric;
  ArTables& tables = *drawn.routes.adaptive;
  const auto count = static_cast<unsigned>(1 + rng.below(2));
  for (unsigned number = 1; number <= count; ++number) tables.add_private_table();
  const double any = rng.chance(0.5) ? 0 : 0.5;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    for (unsigned in = 0; in <= fabric.node(sw).port_count; ++in) {
      const PortNum port(static_cast<std::uint8_t>(in));
      const bool from_switch = fabric.channel_at(sw, port) != kNoChannel;
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl)
        if (rng.chance(from_switch ? 0.2 : 0.8))
          tables.select_table(sw, port, Sl(sl), static_cast<unsigned>(rng.below(count + 1)));
    }
    for (unsigned number = 1; number <= count; ++number)
      for (const Endport& to : fabric.endports()) {
        if (to.sw == kNoSwitch || to.sw == sw || rng.chance(0.3)) continue;
        const auto hops = distances(fabric, to.sw);
        PortMask ports;
        for (const Channel& channel : fabric.channels_from(sw))
          if (hops[channel.to.value()] < hops[s] || rng.chance(any))
            ports.set(channel.from_port.value());
        const ArEntry entry{ArState::kFree, tables.private_table(number).add_group(sw, ports)};
        for (const Lid lid : lids_of(to))
          if (lid <= tables.top()) tables.private_table(number).set(sw, lid, entry);
      }
  }
}

void expect_verdicts_of_following_each_packet(std::uint64_t seed, std::uint64_t cases,
                                              Tables kind) {
  const std::vector<Fabric> intact = intact_fabrics();
  const Rng seeds(seed);
  const char* const only = std::getenv("WEFT_CASE");
  const std::uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  Kinds kinds;
  for (std::uint64_t n = first; n < (only == nullptr ? cases : first + 1); ++n) {
    Case drawn = draw(intact, seeds.fork(n));
    if (kind != Tables::kPlain) {
      Rng rng = seeds.fork(n).fork(1);
      choose_groups(drawn, rng);
      if (kind == Tables::kPrivate) choose_private_tables(drawn, rng);
    }
    const PlainVerdict wanted =
        plain_verify(drawn.fabric, drawn.routes, drawn.options.ignore_replies);
    expect_same(verify(drawn.fabric, drawn.routes, drawn.options), wanted);
    ASSERT_FALSE(testing::Test::HasFailure()) << "WEFT_CASE=" << n;
    kinds.count(wanted);
  }
  if (only != nullptr) return;
  for (const std::uint64_t count :
       {kinds.passed, kinds.looping, kinds.incomplete, kinds.credit_loops, kinds.switch_loops})
    EXPECT_GT(count, cases / 100);
}

TEST(VerifyDifferential, EqualsTheVerdictOfFollowingEachPacket) {
  expect_verdicts_of_following_each_packet(kSeedOfCases, kCases, Tables::kPlain);
}

TEST(VerifyDifferential, EqualsTheVerdictOfFollowingEachAdaptiveSelection) {
  expect_verdicts_of_following_each_packet(kSeedOfCases + 2, kAdaptiveCases, Tables::kAdaptive);
}

TEST(VerifyDifferential, EqualsTheVerdictOfFollowingEachPacketThroughPrivateTables) {
  expect_verdicts_of_following_each_packet(kSeedOfCases + 4, kPrivateCases, Tables::kPrivate);
}

/// Removes cables between switches. LIDs without a next hop get another next hop, and some other
/// entries change as well.
Case changed_case(const Case& before, Rng& rng) {
  std::vector<PortId> cut;
  for (std::uint64_t n = rng.below(3); n > 0 && before.fabric.channel_count() > 0; --n) {
    const Channel& channel = before.fabric.channel(
        ChannelId(static_cast<std::uint32_t>(rng.below(before.fabric.channel_count()))));
    cut.push_back(before.fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  }
  Case now{without(before.fabric, {}, cut), before.routes, before.options};
  if (before.routes.lfts.top() != now.fabric.lid_top()) return now;
  Case other{now.fabric, before.routes, {}};
  if (now.fabric.endport_count() != before.fabric.endport_count()) return now;
  route(other, true, rng.chance(0.5), before.routes.lfts.top(), rng);
  for (std::uint64_t n = rng.below(4); n > 0; --n) {  // all entries of a LID, or one entry
    const auto& endport = now.fabric.endport(
        EndportId(static_cast<std::uint32_t>(rng.below(now.fabric.endport_count()))));
    const auto only = static_cast<std::uint32_t>(rng.below(2 * now.fabric.switch_count()));
    for (std::uint32_t s = 0; s < now.fabric.switch_count(); ++s)
      if (only == s || only >= now.fabric.switch_count())
        now.routes.lfts.set(SwitchId(s), endport.lid,
                            other.routes.lfts.port(SwitchId(s), endport.lid));
  }
  for (const Endport& to : now.fabric.endports())
    for (const Lid lid : lids_of(to))
      for (std::uint32_t s = 0; s < now.fabric.switch_count(); ++s) {
        const PortNum port = now.routes.lfts.port(SwitchId(s), lid);
        if (port == kNoRoute || port == PortNum(0)) continue;
        const PortId id = now.fabric.port_id(NodeId(s), port);
        if (id != kNoPort && now.fabric.port(id).peer == kNoPort)
          now.routes.lfts.set(SwitchId(s), lid, other.routes.lfts.port(SwitchId(s), lid));
      }
  if (rng.chance(0.1)) break_entries(now, 1, rng);
  return now;
}

void expect_same(const Proof& found, const Proof& wanted) {
  const Verdict& a = found.verdict;
  const Verdict& b = wanted.verdict;
  expect_same(a.ca_to_ca, b.ca_to_ca, "CA to CA");
  expect_same(a.switch_to_ca, b.switch_to_ca, "switch to CA");
  expect_same(a.ca_to_switch, b.ca_to_switch, "CA to switch");
  expect_same(a.switch_to_switch, b.switch_to_switch, "switch to switch");
  EXPECT_EQ(a.ok(), b.ok());
  EXPECT_EQ(a.dependencies, b.dependencies);
  EXPECT_EQ(a.single_sls, b.single_sls);
  EXPECT_EQ(a.replies_ignored, b.replies_ignored);
  EXPECT_TRUE(found.dependencies.cas.same_edges(wanted.dependencies.cas));
  EXPECT_TRUE(found.dependencies.switches.same_edges(wanted.dependencies.switches));
}

/// AR groups of the shortest paths that go up in an order of the switches, then down. Some groups
/// have fewer ports. Two fabrics with the same ranks and `seed` get the same groups where they have
/// the same paths.
void route_up_down(Case& drawn, std::span<const std::uint32_t> rank, const Rng& seed) {
  constexpr std::uint32_t kFar = 1000;
  const Fabric& fabric = drawn.fabric;
  const auto place = [&](SwitchId sw) { return std::pair(rank[sw.value()], sw); };
  std::vector<SwitchId> order;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) order.push_back(SwitchId(s));
  std::ranges::sort(order, {}, place);
  drawn.routes = Routes{};
  drawn.routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  ArTables& tables = drawn.routes.adaptive.emplace(fabric.switch_count(), fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    if (to.sw == kNoSwitch) continue;
    std::vector<std::uint32_t> down(fabric.switch_count(), kFar), hops;
    std::vector<SwitchId> queue{to.sw};
    down[to.sw.value()] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const Channel& channel : fabric.channels_from(queue[head])) {
        if (down[channel.to.value()] != kFar || place(channel.to) > place(queue[head])) continue;
        down[channel.to.value()] = down[queue[head].value()] + 1;
        queue.push_back(channel.to);
      }
    hops = down;
    for (const SwitchId sw : order)
      for (const Channel& channel : fabric.channels_from(sw))
        if (down[sw.value()] == kFar && place(channel.to) < place(sw))
          hops[sw.value()] = std::min(hops[sw.value()], hops[channel.to.value()] + 1);
    for (const Lid lid : lids_of(to))
      for (const SwitchId sw : order) {
        PortMask ports;
        if (sw == to.sw) ports.set(to.sw_port.value());
        for (const Channel& channel : fabric.channels_from(sw)) {
          const bool descends = down[sw.value()] != kFar;
          const auto& distance = descends ? down : hops;
          if (descends == (place(channel.to) > place(sw)) && hops[sw.value()] < kFar &&
              distance[channel.to.value()] + 1 == distance[sw.value()])
            ports.set(channel.from_port.value());
        }
        Rng rng = seed.fork(lid.value()).fork(sw.value());
        const bool fewer = rng.chance(0.3);
        std::size_t port = ports._Find_first();
        for (std::size_t p = port; p < ports.size(); p = ports._Find_next(p)) {
          if (rng.chance(0.5)) port = p;
          if (fewer && ports.count() > 1 && p != port && rng.chance(0.5)) ports.reset(p);
        }
        if (ports.none()) continue;
        drawn.routes.lfts.set(sw, lid, PortNum(static_cast<std::uint8_t>(port)));
        if (ports.count() > 1) tables.set(sw, lid, {ArState::kFree, tables.add_group(sw, ports)});
      }
  }
}

/// Adds a port to up to two groups or removes it.
void change_groups(Case& drawn, Rng& rng) {
  const Fabric& fabric = drawn.fabric;
  ArTables& tables = *drawn.routes.adaptive;
  for (std::uint64_t n = rng.below(3); n > 0; --n) {
    const SwitchId sw(static_cast<std::uint32_t>(rng.below(fabric.switch_count())));
    const auto& endport =
        fabric.endport(EndportId(static_cast<std::uint32_t>(rng.below(fabric.endport_count()))));
    if (endport.sw == kNoSwitch || endport.lid > tables.top()) continue;
    PortMask ports;
    if (const PortMask* const group = tables.group_of(sw, endport.lid)) ports = *group;
    ports.flip(rng.below(fabric.node(NodeId(sw.value())).port_count + 1u));
    tables.set(sw, endport.lid, {ArState::kFree, tables.add_group(sw, ports)});
  }
}

/// Verifies changes of random routes incrementally, and compares each proof with a complete one.
void expect_proofs_of_verifying_all(std::uint64_t seed, std::uint64_t cases, bool adaptive) {
  const std::vector<Fabric> intact = intact_fabrics();
  const Rng seeds(seed);
  const char* const only = std::getenv("WEFT_CASE");
  const std::uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  std::uint64_t proved = 0, left = 0;
  for (std::uint64_t n = first; n < (only == nullptr ? cases : first + 1); ++n) {
    Rng rng = seeds.fork(n);
    Case before = draw(intact, rng.fork(0));
    Case now = changed_case(before, rng);
    if (now.fabric.lid_top() != before.fabric.lid_top()) continue;
    if (adaptive) {
      const auto rank = distances(before.fabric, SwitchId(0));
      for (Case* const drawn : {&before, &now}) route_up_down(*drawn, rank, rng.fork(1));
      change_groups(now, rng);
      if (rng.chance(0.5)) std::swap(before, now);  // cables are added instead of removed
    }
    const Proof proof = prove(before.fabric, before.routes, before.options);
    const auto found =
        prove_changes({before.fabric, before.routes, proof.verdict, proof.dependencies}, now.fabric,
                      now.routes, now.options);
    if (!found) {
      left += proof.verdict.ok() ? 1 : 0;
      continue;
    }
    ++proved;
    expect_same(*found, prove(now.fabric, now.routes, now.options));
    ASSERT_FALSE(testing::Test::HasFailure()) << "WEFT_CASE=" << n;
  }
  if (only != nullptr) return;
  EXPECT_GT(proved, cases / 20) << left << " left to a complete verification";
}

TEST(VerifyDifferential, ProofOfChangesEqualsTheProofOfAllRoutes) {
  expect_proofs_of_verifying_all(kSeedOfCases + 1, kCasesOfChanges, false);
}

TEST(VerifyDifferential, ProofOfAdaptiveChangesEqualsTheProofOfAllRoutes) {
  expect_proofs_of_verifying_all(kSeedOfCases + 3, kAdaptiveCases, true);
}

}  // namespace
}  // namespace weft
