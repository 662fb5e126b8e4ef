// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/verify.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "fabric/planes.h"
#include "verify/block_verifier.h"
#include "verify/each_lid.h"
#include "verify/hop_map.h"
#include "verify/multicast_verifier.h"
#include "verify/single_sl.h"
#include "verify/stages.h"

namespace weft {
namespace {

/// A pair of endports with packets that hold `from` and wait for `to`. Pairs with a switch are
/// included only if `with_switches`. None if only multicast packets have this dependency.
std::optional<CycleHop> example(const Fabric& fabric, const Routes& routes, const PathSls& sls,
                                bool with_switches, DependencyGraph::Vertex from,
                                DependencyGraph::Vertex to) {
  const Channel& first = fabric.channel(from.channel);
  const Channel& second = fabric.channel(to.channel);
  for (unsigned value = 1; value <= routes.lfts.top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch) continue;
    if (!may_leave_by(routes, first.from, lid, first.from_port) ||
        !may_leave_by(routes, second.from, lid, second.from_port))
      continue;
    const bool for_ca = !fabric.is_switch(fabric.endport(owner).node);
    for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
      const Endport& source = fabric.endport(EndportId(i));
      const bool from_switch = fabric.is_switch(source.node);
      if (EndportId(i) == owner || source.sw == kNoSwitch) continue;
      if ((from_switch || !for_ca) && (!with_switches || (from_switch && !for_ca))) continue;
      const SwitchId destination = fabric.endport(owner).sw;
      const Sl request = routes.path_sl.sl(source.sw, destination, lid);
      const PathSls::Mask all = sls.from_endport(source, destination, lid);
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl)
        if ((all >> sl & 1) != 0 && may_wait(fabric, routes, source, lid, Sl(sl), from, to))
          return CycleHop{from.channel, Vl(from.vl), EndportId(i), lid, Sl(sl), Sl(sl) != request};
    }
  }
  return std::nullopt;
}

std::vector<CycleHop> examples(const Fabric& fabric, const Routes& routes, const PathSls& sls,
                               std::span<const MulticastGroup> groups, bool with_switches,
                               const DependencyGraph& graph) {
  const auto cycle = graph.find_cycle();
  std::vector<CycleHop> hops;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto from = cycle[i];
    const auto to = cycle[(i + 1) % cycle.size()];
    auto hop = example(fabric, routes, sls, with_switches, from, to);
    if (!hop) hop = multicast_example(fabric, routes, groups, with_switches, from, to);
    CHECK(hop.has_value());  // each dependency is caused by a packet
    hops.push_back(*hop);
  }
  return hops;
}

void fold(const Fabric& fabric, std::span<const LidTally> tallies, std::size_t failures_max,
          Verdict& verdict) {
  std::map<SwitchId, std::uint64_t> broken;
  std::map<PortId, std::uint16_t> beyond;
  for (const LidTally& tally : tallies) {
    verdict.ca_to_ca += tally.ca_to_ca;
    verdict.switch_to_ca += tally.switch_to_ca;
    verdict.ca_to_switch += tally.ca_to_switch;
    verdict.switch_to_switch += tally.switch_to_switch;
    verdict.loops += tally.loops;
    for (const WalkFailure& failure : tally.failures)
      if (verdict.failures.size() < failures_max) verdict.failures.push_back(failure);
    for (const auto& [sw, walks] : tally.broken) broken[sw] += walks;
    for (const auto& [port, lanes] : tally.beyond) beyond[port] |= lanes;
  }
  for (const auto& [sw, walks] : broken) verdict.broken.push_back({sw, walks});
  std::ranges::stable_sort(verdict.broken, std::ranges::greater{}, &BrokenSwitch::walks);
  verdict.lanes_missing = beyond.size();
  for (const auto& [port, lanes] : beyond) {
    if (verdict.lane_failures.size() >= failures_max) break;
    const auto highest = static_cast<std::uint8_t>(std::bit_width(lanes) - 1);
    verdict.lane_failures.push_back({port, Vl(highest), link_vls(fabric, port)});
  }
}

/// Verifies each LID separately. Returns false, because this does not prove
/// Common::acyclic_on_one_lane.
bool verify_lids(const Fabric& fabric, const Routes& routes, const Common& common,
                 const PathSls& sls, const VerifyOptions& options, Dependencies& dependencies,
                 std::span<LidTally> tallies) {
  for_each_lid(fabric, routes, common, sls, options.threads, dependencies,
               [&](auto& verifier, Lid lid, std::size_t block) {
                 verifier.verify(lid, options.failures_max, tallies[block]);
               });
  dependencies.switches.add(dependencies.cas);
  return false;
}

/// Counts the packets to the LIDs of some blocks again, following each packet.
template <class Chosen>
void count_again(const Fabric& fabric, const Routes& routes, const Common& common,
                 const PathSls& sls, const VerifyOptions& options, Dependencies& dependencies,
                 std::span<LidTally> tallies, const Chosen& chosen) {
  for (std::size_t block = 0; block < tallies.size(); ++block)
    if (chosen(block)) tallies[block] = {};
  for_each_static_lid(fabric, routes, common, sls, options.threads, dependencies, chosen,
                      [&](LidVerifier& verifier, Lid lid, std::size_t block) {
                        verifier.count(lid, options.failures_max, tallies[block]);
                      });
}

bool has_lid_of_switch(const Fabric& fabric, std::size_t block) {
  for (std::size_t i = 0; i < kLftBlock; ++i) {
    const EndportId owner =
        fabric.endport_of(Lid(static_cast<std::uint16_t>(block * kLftBlock + i)));
    if (owner != kNoEndport && fabric.is_switch(fabric.endport(owner).node)) return true;
  }
  return false;
}

/// Verifies the LIDs in blocks. Returns whether Common::acyclic_on_one_lane was proved.
bool verify_blocks(const Fabric& fabric, const Routes& routes, const Common& common,
                   const PathSls& sls, const VerifyOptions& options, Dependencies& dependencies,
                   std::span<LidTally> tallies) {
  constexpr std::size_t kAtOnce = BlockVerifier::kBlocks;
  constexpr std::size_t kTasksPerThread = 8;
  const HopMap map(fabric, dependencies.cas);
  DependencyGraph to_switches =
      common.vls == 1 ? dependencies.cas.without_edges() : DependencyGraph(fabric, 1);
  const std::size_t steps = (tallies.size() + kAtOnce - 1) / kAtOnce;
  const unsigned threads = options.threads == 0 ? hardware_threads() : options.threads;
  const std::size_t tasks = threads == 1 ? 1 : threads * kTasksPerThread;
  parallel_blocks(
      steps, (steps + tasks - 1) / tasks, threads, [&](std::size_t begin, std::size_t end) {
        BlockVerifier verifier(fabric, routes, common, sls, map, {dependencies, to_switches});
        for (std::size_t first = begin * kAtOnce; first < std::min(end * kAtOnce, tallies.size());
             first += kAtOnce)
          verifier.verify(first, options.failures_max,
                          tallies.subspan(first, std::min(kAtOnce, tallies.size() - first)));
      });
  dependencies.switches.add(dependencies.cas);
  // If there is a cycle, packets may loop.
  const bool acyclic_on_one_lane = dependencies.switches.is_acyclic_on_one_lane();
  if (!acyclic_on_one_lane && !dependencies.switches.is_acyclic()) {
    count_again(fabric, routes, common, sls, options, dependencies, tallies,
                [](std::size_t) { return true; });
  } else if (!to_switches.is_acyclic()) {
    count_again(fabric, routes, common, sls, options, dependencies, tallies,
                [&](std::size_t block) { return has_lid_of_switch(fabric, block); });
  }
  return acyclic_on_one_lane;
}

/// Searches for a cycle. Adds one kind of packets after another until there is a cycle. `begun`:
/// see conclude().
void find_credit_loops(const Fabric& fabric, const Routes& routes, const PathSls& sls,
                       std::span<const MulticastGroup> groups, Dependencies& all,
                       const Dependencies* multicast, const std::vector<ChannelId>* begun,
                       Verdict& verdict) {
  if (multicast != nullptr) {
    all.switches.add(multicast->switches);
    all.switches.add(multicast->cas);
  }
  if (begun != nullptr && multicast == nullptr ? all.switches.is_acyclic_behind(*begun)
                                               : all.switches.is_acyclic())
    return;
  verdict.credit_loop = examples(fabric, routes, sls, {}, false, all.cas);
  if (verdict.has_credit_loop()) return;
  if (multicast != nullptr) {
    all.cas.add(multicast->cas);
    verdict.multicast_credit_loop = examples(fabric, routes, sls, groups, false, all.cas);
    if (!verdict.multicast_credit_loop.empty()) return;
  }
  verdict.switch_credit_loop = examples(fabric, routes, sls, groups, true, all.switches);
}

}  // namespace

Common survey(const Fabric& fabric, const Routes& routes) {
  Common common;
  common.cas = fabric.endport_count() - fabric.switch_count();
  std::size_t sls = routes.path_sl.kind() == PathSl::Kind::kUniform ? 1 : kSlCount;
  for (const auto& [mlid, sl] : routes.multicast_sl)
    sls = std::max(sls, std::size_t{sl.value()} + 1);
  common.vls = vl_count_of_maps(routes, sls);
  common.least_vls = least_link_vls(fabric);
  common.scarce = common.vls > common.least_vls;
  for (const SlMap& map : routes.sl2vl.maps())
    common.drops = common.drops || std::ranges::find(std::span(map).first(sls), kDropVl) !=
                                       std::span(map).first(sls).end();
  common.part = connected_parts(fabric);
  common.part_cas.assign(fabric.switch_count(), 0);
  common.part_switches.assign(fabric.switch_count(), 0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    common.cas_at.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
    common.part_cas[common.part[s]] += common.cas_at[s];
    ++common.part_switches[common.part[s]];
  }
  common.other_planes = ports_in_other_planes(fabric, common.part);
  return common;
}

std::string why_empty(const Fabric& fabric) {
  if (fabric.endport_count() == fabric.switch_count()) return "the fabric has no CA with a link";
  if (fabric.lid_top() == kLidNone) return "no port of the fabric has a LID";
  return {};
}

UnicastResult verify_unicast(const Fabric& fabric, const Routes& routes,
                             const VerifyOptions& options) {
  CHECK(routes.lfts.switch_count() == fabric.switch_count());
  CHECK(!routes.adaptive || routes.adaptive->switch_count() == fabric.switch_count());
  Common common = survey(fabric, routes);
  Dependencies dependencies = no_dependencies(fabric, routes, common);
  UnicastResult result{
      std::move(common), PathSls(fabric, routes, options.ignore_replies, options.threads),
      std::move(dependencies), std::vector<LidTally>(lid_blocks(fabric)), Verdict{}};
  const auto verify_all =
      BlockVerifier::applies(routes, result.common) ? verify_blocks : verify_lids;
  result.common.acyclic_on_one_lane = verify_all(fabric, routes, result.common, result.sls, options,
                                                 result.dependencies, result.tallies);
  result.verdict.verified = true;
  result.verdict.replies_ignored = options.ignore_replies;
  result.verdict.empty = why_empty(fabric);
  return result;
}

void conclude(const Fabric& fabric, const Routes& routes, const Common& common, const PathSls& sls,
              const VerifyOptions& options, Dependencies& dependencies,
              std::vector<LidTally> tallies, Verdict& verdict,
              const std::vector<ChannelId>* begun) {
  const auto groups = groups_to_verify(fabric, routes, options.groups);
  std::optional<Dependencies> multicast;
  if (!groups.empty()) {
    multicast.emplace(no_dependencies(fabric, routes, common));
    LidTally& of_multicast = tallies.emplace_back();
    verdict.multicast = verify_multicast(
        fabric, routes, groups, options.failures_max, multicast->cas, multicast->switches,
        common.scarce ? &of_multicast : nullptr,
        common.other_planes.empty() || !parts_are_planes(fabric) ? std::span<const std::uint32_t>()
                                                                 : common.part);
  }
  fold(fabric, tallies, options.failures_max, verdict);
  verdict.dependencies = dependencies.cas.edge_count();
  const bool one_lane = routes.sl2vl.uniform() && common.vls == 1 && !sls_select_tables(routes);
  if (!one_lane)
    verdict.single_sls = safe_single_sls(fabric, routes, common, groups, options.threads,
                                         dependencies, multicast ? &*multicast : nullptr);
  if (!common.acyclic_on_one_lane || multicast)
    find_credit_loops(fabric, routes, sls, groups, dependencies, multicast ? &*multicast : nullptr,
                      begun, verdict);
  // With one VL, the search above, or the proof that makes it unnecessary, includes all packets.
  if (one_lane && !verdict.has_credit_loop() && verdict.multicast_credit_loop.empty() &&
      verdict.switch_credit_loop.empty())
    verdict.single_sls = sls_on_links(routes, common);
}

Verdict verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options) {
  UnicastResult unicast = verify_unicast(fabric, routes, options);
  conclude(fabric, routes, unicast.common, unicast.sls, options, unicast.dependencies,
           std::move(unicast.tallies), unicast.verdict);
  return std::move(unicast.verdict);
}

std::string describe_cycle(const Fabric& fabric, std::span<const CycleHop> cycle) {
  std::string text;
  for (const CycleHop& hop : cycle) {
    const Channel& channel = fabric.channel(hop.channel);
    const std::string to =
        is_multicast(hop.lid)
            ? fmt::format("multicast LID 0x{:04X}", hop.lid.value())
            : fmt::format("LID {} ({})", hop.lid.value(),
                          describe(fabric.node(fabric.endport(fabric.endport_of(hop.lid)).node)));
    text += fmt::format("  {} port {} -> {} port {} on VL {}: {} of {} to {}{}\n",
                        describe(fabric.node(channel.from)), channel.from_port.value(),
                        describe(fabric.node(channel.to)), channel.to_port.value(), hop.vl.value(),
                        hop.reply ? "replies" : "packets",
                        describe(fabric.node(fabric.endport(hop.source).node)), to,
                        hop.reply ? fmt::format(" on SL {}", hop.sl.value()) : "");
  }
  return text;
}

}  // namespace weft
