#include "verify/verify.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/parallel.h"
#include "routes/next_hops.h"
#include "verify/choices.h"
#include "verify/dependencies.h"
#include "verify/flood.h"
#include "verify/lid_tally.h"
#include "verify/step.h"

namespace weft {
namespace {

Common survey(const Fabric& fabric, const Routes& routes) {
  Common common;
  common.cas = fabric.endport_count() - fabric.switch_count();
  std::size_t sls = routes.path_sl.kind() == PathSl::Kind::kUniform ? 1 : kSlCount;
  for (const auto& [mlid, sl] : routes.multicast_sl)
    sls = std::max(sls, std::size_t{sl.value()} + 1);
  const auto consider = [&](const SlMap& map) {
    for (std::size_t sl = 0; sl < sls; ++sl) {
      if (map[sl] == kDropVl) common.drops = true;
      if (map[sl] != kDropVl) common.vls = std::max(common.vls, map[sl] + 1u);
    }
  };
  consider(routes.sl2vl.common());
  if (routes.sl2vl.uniform()) return common;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (unsigned in = 0; in <= fabric.node(SwitchId(s)).port_count; ++in)
      for (unsigned out = 0; out <= fabric.node(SwitchId(s)).port_count; ++out)
        consider(routes.sl2vl.map(SwitchId(s), PortNum(static_cast<std::uint8_t>(in)),
                                  PortNum(static_cast<std::uint8_t>(out))));
  return common;
}

void add(ReachCount& sum, const ReachCount& more) {
  sum.pairs += more.pairs;
  sum.arrived += more.arrived;
}

/// Judges LIDs one after another; each task has its own.
class LidJudge {
 public:
  LidJudge(const Fabric& fabric, const Routes& routes, const VerifyOptions& options,
           const Common& common, const NextHops& hops, Dependencies& dependencies)
      : fabric_(fabric),
        routes_(routes),
        options_(options),
        common_(common),
        hops_(hops),
        dependencies_(dependencies),
        ends_(fabric.switch_count()),
        on_path_(fabric.switch_count(), false),
        seen_(routes.sl2vl.uniform() ? fabric.switch_count()
                                     : fabric.channel_count() * std::size_t{common.vls},
              0) {}

  void judge(Lid lid, LidTally& tally) {
    lid_ = lid;
    owner_ = fabric_.endport_of(lid);
    if (owner_ == kNoEndport) return;
    channel_ = hops_.channels(lid);
    to_ = hops_.switches(lid);
    find_ends();
    count_ends(
        fabric_, lid, ends_, common_, [&](const Endport& source) { return dropped(source); },
        options_.failures_max, tally);
    follow_traffic();
  }

 private:
  bool for_ca() const { return !fabric_.is_switch(fabric_.endport(owner_).node); }

  /// Where packets end that start at each switch. Every switch is visited once.
  void find_ends() {
    for (LidEnd& end : ends_) end.known = false;
    for (std::uint32_t start = 0; start < ends_.size(); ++start) {
      path_.clear();
      std::uint32_t at = start;
      LidEnd end;
      while (true) {
        if (ends_[at].known) {
          end = ends_[at];
          break;
        }
        if (on_path_[at]) {
          end = {true, WalkEnd::kLoop, SwitchId(at)};
          break;
        }
        on_path_[at] = true;
        path_.push_back(at);
        if (channel_[at] == kNoChannel) {
          end = {true, last_step(at).end, SwitchId(at)};
          break;
        }
        at = to_[at].value();
      }
      for (const std::uint32_t passed : path_) {
        ends_[passed] = end;
        on_path_[passed] = false;
      }
    }
  }

  /// What becomes of packets at a switch that sends them over no channel.
  Step last_step(std::uint32_t at) const {
    return step(fabric_, SwitchId(at), routes_.lfts.port(SwitchId(at), lid_), owner_);
  }
  PortNum out_port(SwitchId at) const { return routes_.lfts.port(at, lid_); }

  /// True where SL2VL maps drop the packets of this source (VL 15).
  bool dropped(const Endport& source) const {
    if (fabric_.endport(owner_).sw == kNoSwitch) return false;
    const Sl sl = routes_.path_sl.sl(source.sw, fabric_.endport(owner_).sw, lid_);
    if (routes_.sl2vl.uniform()) return routes_.sl2vl.common()[sl.value()] == kDropVl;
    SwitchId at = source.sw;
    PortNum in = source.sw_port;
    while (true) {
      const PortNum out = out_port(at);
      if (out != PortNum(0) && routes_.sl2vl.vl(at, in, out, sl).value() == kDropVl) return true;
      const ChannelId next = channel_[at.value()];
      if (next == kNoChannel) return false;
      at = to_[at.value()];
      in = fabric_.channel(next).to_port;
    }
  }

  /// Adds the dependencies that packets for this LID make: first those of CAs, then what switches
  /// add on ways that no CA's packets took.
  void follow_traffic() {
    if (fabric_.endport(owner_).sw == kNoSwitch) return;
    DependencyGraph& of_hosts = for_ca() ? dependencies_.cas : dependencies_.switches;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      for (const EndportId host : fabric_.endports_at(SwitchId(s))) {
        if (host == owner_) continue;
        follow(SwitchId(s), fabric_.endport(host).sw_port, of_hosts);
        if (routes_.sl2vl.uniform()) break;  // equal VLs: one source at the switch speaks for all
      }
    }
    if (!for_ca()) return;  // switches send each other nothing
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      follow(SwitchId(s), PortNum(0), dependencies_.switches);
  }

  void follow(SwitchId at, PortNum in, DependencyGraph& graph) {
    const Sl sl = routes_.path_sl.sl(at, fabric_.endport(owner_).sw, lid_);
    const std::uint32_t stamp = lid_.value() * std::uint32_t{kSlCount} + sl.value();
    const bool uniform = routes_.sl2vl.uniform();
    std::optional<DependencyGraph::Vertex> held;
    while (true) {
      const ChannelId next = channel_[at.value()];
      if (next == kNoChannel) return;
      const std::uint8_t vl = uniform ? routes_.sl2vl.common()[sl.value()]
                                      : routes_.sl2vl.vl(at, in, out_port(at), sl).value();
      if (vl == kDropVl) return;
      const DependencyGraph::Vertex wanted{next, vl};
      if (held) graph.add(*held, wanted);
      // From here on the way is that of whoever came before with this SL.
      const std::size_t key = uniform ? at.value() : next.value() * std::size_t{common_.vls} + vl;
      if (seen_[key] == stamp) return;
      seen_[key] = stamp;
      held = wanted;
      at = to_[at.value()];
      if (!uniform) in = fabric_.channel(next).to_port;
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const VerifyOptions& options_;
  const Common& common_;
  const NextHops& hops_;
  Dependencies& dependencies_;
  Lid lid_;
  EndportId owner_;
  std::span<const ChannelId> channel_;  // by switch, for this LID
  std::span<const SwitchId> to_;
  std::vector<LidEnd> ends_;
  std::vector<bool> on_path_;
  std::vector<std::uint32_t> path_;
  std::vector<std::uint32_t> seen_;
};

/// A pair whose packets hold `from` and wait for `to`; one with a switch only where
/// `switches_talk`. Nothing where only multicast packets do.
std::optional<CycleHop> example(const Fabric& fabric, const Routes& routes, bool switches_talk,
                                DependencyGraph::Vertex from, DependencyGraph::Vertex to) {
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
      if ((from_switch || !for_ca) && (!switches_talk || (from_switch && !for_ca))) continue;
      if (may_wait(fabric, routes, source, lid, from, to))
        return CycleHop{from.channel, Vl(from.vl), EndportId(i), lid};
    }
  }
  return std::nullopt;
}

std::vector<CycleHop> examples(const Fabric& fabric, const Routes& routes,
                               std::span<const MulticastGroup> groups, bool switches_talk,
                               const DependencyGraph& graph) {
  const auto cycle = graph.find_cycle();
  std::vector<CycleHop> hops;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto from = cycle[i];
    const auto to = cycle[(i + 1) % cycle.size()];
    auto hop = example(fabric, routes, switches_talk, from, to);
    if (!hop) hop = multicast_example(fabric, routes, groups, switches_talk, from, to);
    CHECK(hop.has_value());  // a dependency without a packet that makes it
    hops.push_back(*hop);
  }
  return hops;
}

void fold(Verdict& verdict, LidTally& tally, std::map<SwitchId, std::uint64_t>& broken,
          std::size_t failures_max) {
  add(verdict.ca_to_ca, tally.ca_to_ca);
  add(verdict.switch_to_ca, tally.switch_to_ca);
  add(verdict.ca_to_switch, tally.ca_to_switch);
  add(verdict.switch_to_switch, tally.switch_to_switch);
  verdict.loops += tally.loops;
  for (const WalkFailure& failure : tally.failures)
    if (verdict.failures.size() < failures_max) verdict.failures.push_back(failure);
  for (const auto& [sw, walks] : tally.broken) broken[sw] += walks;
}

}  // namespace

Verdict verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options) {
  CHECK(routes.lfts.switch_count() == fabric.switch_count());
  CHECK(!routes.adaptive || routes.adaptive->switch_count() == fabric.switch_count());
  const Common common = survey(fabric, routes);
  Dependencies dependencies{DependencyGraph(fabric, common.vls),
                            DependencyGraph(fabric, common.vls)};
  const PortMap map(fabric);
  const std::size_t blocks = fabric.lid_top().value() / kLftBlock + 1;
  std::vector<LidTally> tallies(blocks);
  parallel_blocks(blocks, 1, options.threads, [&](std::size_t block, std::size_t) {
    const auto judge_all = [&](auto& judge) {
      for (std::size_t lid = block * kLftBlock; lid < (block + 1) * kLftBlock; ++lid)
        judge.judge(Lid(static_cast<std::uint16_t>(lid)), tallies[block]);
    };
    if (routes.adaptive) {
      ChoiceJudge judge(fabric, routes, options, common, dependencies);
      return judge_all(judge);
    }
    NextHops hops(map);
    hops.load(routes.lfts, block);
    LidJudge judge(fabric, routes, options, common, hops, dependencies);
    judge_all(judge);
  });

  Verdict verdict;
  std::map<SwitchId, std::uint64_t> broken;
  for (LidTally& tally : tallies) fold(verdict, tally, broken, options.failures_max);
  for (const auto& [sw, walks] : broken) verdict.broken.push_back({sw, walks});
  std::ranges::stable_sort(verdict.broken, std::ranges::greater{}, &BrokenSwitch::walks);

  verdict.dependencies = dependencies.cas.edge_count();
  verdict.credit_loop = examples(fabric, routes, {}, false, dependencies.cas);
  const auto groups = groups_to_judge(fabric, routes, options.groups);
  verdict.multicast = judge_multicast(fabric, routes, groups, options.failures_max,
                                      dependencies.cas, dependencies.switches);
  if (verdict.has_credit_loop()) return verdict;
  if (!groups.empty())
    verdict.multicast_credit_loop = examples(fabric, routes, groups, false, dependencies.cas);
  if (!verdict.multicast_credit_loop.empty()) return verdict;
  dependencies.switches.add(dependencies.cas);
  verdict.switch_credit_loop = examples(fabric, routes, groups, true, dependencies.switches);
  return verdict;
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
    text += fmt::format("  {} port {} -> {} port {} on VL {}: packets of {} to {}\n",
                        describe(fabric.node(channel.from)), channel.from_port.value(),
                        describe(fabric.node(channel.to)), channel.to_port.value(), hop.vl.value(),
                        describe(fabric.node(fabric.endport(hop.source).node)), to);
  }
  return text;
}

}  // namespace weft
