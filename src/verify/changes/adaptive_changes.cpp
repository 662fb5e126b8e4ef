// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/changes/adaptive_changes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "verify/changes/adaptive_entries.h"
#include "verify/changes/adaptive_lid.h"
#include "verify/changes/waiting_kinds.h"

namespace weft {
namespace {

constexpr std::size_t kChoicesAlways = 1 << 14;
constexpr std::size_t kChoicesPerChange = 512;  // more changes: complete verification is as fast
constexpr std::size_t kLidsPerBlock = 256;
constexpr std::size_t kEndedMost = 1 << 18;
constexpr std::size_t kSwitchesPerBlock = 8;

using Kinds = AdaptiveLid::Kinds;

/// Kinds of packets that hold one channel and wait for another, by wanted and held channel. In this
/// order the turns at one switch are adjacent.
using Turns = std::map<std::pair<ChannelId, ChannelId>, Kinds>;

/// Turns of the new fabric. A turn that ended for a LID may still be caused by packets for other
/// LIDs.
struct TurnChanges {
  Turns ended, begun;
  std::int64_t switch_pairs = 0;  // increase of pairs that arrive at switches from switches
  bool failed = false;
};

/// Compares the packets to one LID by the old and the new routes.
class ChoiceComparison {
 public:
  ChoiceComparison(const ProvedRoutes& before, const Fabric& fabric, const Routes& routes,
                   const ChannelMatch& channels, TurnChanges& changes)
      : old_fabric_(before.fabric),
        fabric_(fabric),
        channels_(channels),
        before_(before.fabric, before.routes),
        now_(fabric, routes),
        changes_(changes),
        is_other_(fabric.switch_count(), 0) {}

  /// Records the changed turns of packets to one LID. `entries`: the changed entries of this LID.
  void compare(std::span<const ChangedEntry> entries) {
    lid_ = entries.front().lid;
    if (fabric_.endport(fabric_.endport_of(lid_)).sw == kNoSwitch) {
      changes_.failed = true;
      return;
    }
    before_.select(lid_);
    now_.select(lid_);
    if (!all_arrive(entries)) {
      changes_.failed = true;
      return;
    }
    find_others(entries);
    for (const SwitchId sw : others_) compare_around(sw);
    for (const SwitchId sw : others_) is_other_[sw.value()] = 0;
  }

 private:
  /// The ports of a switch that lost or received their channel.
  PortMask changed_ports(SwitchId sw) const {
    PortMask ports;
    for (const PortNum port : channels_.changed_ports(sw)) ports.set(port.value());
    return ports;
  }

  bool all_arrive(std::span<const ChangedEntry> entries) {
    return now_.is_of_switch() ? all_arrive_at_switch(entries)
                               : std::ranges::all_of(entries, [&](const ChangedEntry& entry) {
                                   return now_.leads_on(entry.sw);
                                 });
  }

  /// Packets to a CA come from all switches. They arrive by all choices, as before, unless some
  /// packets loop, and a loop is a cycle of dependencies. Switches need not reach each other, so
  /// for the LID of a switch this is true only at switches that packets of CAs pass.
  bool all_arrive_at_switch(std::span<const ChangedEntry> entries) {
    return std::ranges::all_of(
               entries, [&](const ChangedEntry& entry) { return passes_as_before(entry.sw); }) ||
           all_arrive_by_count();
  }

  /// Whether packets of CAs pass a switch and its next hops by both the old and the new routes.
  bool passes_as_before(SwitchId sw) {
    if (!before_.passes_cas(sw) || !now_.passes_cas(sw) || !now_.leads_on(sw)) return false;
    bool passed = true;
    for_each_port(now_.choices(sw), [&](PortNum port) {
      const ChannelId channel = fabric_.channel_at(sw, port);
      passed =
          passed && (channel == kNoChannel || before_.passes_cas(fabric_.channel(channel).to) ||
                     fabric_.channel(channel).to == fabric_.endport(fabric_.endport_of(lid_)).sw);
    });
    return passed;
  }

  bool all_arrive_by_count() {
    const AdaptiveLid::Arrivals now = now_.arrivals();
    changes_.switch_pairs += std::int64_t{now.switches} - before_.arrivals().switches;
    return now.of_all_cas && !now_.may_loop();
  }

  /// Finds switches with changed entries, and switches that packets of CAs pass only by the old or
  /// only by the new routes.
  void find_others(std::span<const ChangedEntry> entries) {
    others_.clear();
    std::vector<SwitchId> to_check;
    const auto add = [&](SwitchId sw, const PortMask& ports) {
      for_each_port(ports, [&](PortNum port) {
        const ChannelId old = old_fabric_.channel_at(sw, port), now = fabric_.channel_at(sw, port);
        if (old != kNoChannel) to_check.push_back(old_fabric_.channel(old).to);
        if (now != kNoChannel) to_check.push_back(fabric_.channel(now).to);
      });
    };
    for (const ChangedEntry& entry : entries) {
      const PortMask old = before_.choices(entry.sw), now = now_.choices(entry.sw);
      others_.push_back(entry.sw);
      is_other_[entry.sw.value()] = 1;
      add(entry.sw, (old ^ now) | ((old | now) & changed_ports(entry.sw)));
    }
    std::vector<SwitchId> passed_otherwise;
    while (!to_check.empty()) {
      const SwitchId sw = to_check.back();
      to_check.pop_back();
      if (before_.passes_cas(sw) == now_.passes_cas(sw) ||
          std::ranges::find(passed_otherwise, sw) != passed_otherwise.end())
        continue;
      passed_otherwise.push_back(sw);
      if (is_other_[sw.value()] == 0) others_.push_back(sw);
      is_other_[sw.value()] = 1;
      add(sw, before_.choices(sw) | now_.choices(sw));
    }
  }

  /// Compares the turns of packets that leave a switch of others_, and of packets that enter this
  /// switch.
  void compare_around(SwitchId sw) {
    const PortMask old = before_.choices(sw), now = now_.choices(sw);
    const PortMask changed = (old ^ now) | changed_ports(sw);
    const bool other_kinds = before_.kinds(sw) != now_.kinds(sw);
    for_each_port(old | now, [&](PortNum port) {
      const ChannelId channel = fabric_.channel_at(sw, port);
      if (channel != kNoChannel && (other_kinds || changed[port.value()] ||
                                    is_other_[fabric_.channel(channel).to.value()] != 0))
        compare_turns(sw, port);
    });
    // The turns of a lost channel end with the channel.
    if (((old & ~changed_ports(sw)) ^ now).none()) return;
    for (const Channel& channel : fabric_.channels_from(sw))
      if (is_other_[channel.to.value()] == 0 && now_.may_send(channel.to, channel.to_port))
        compare_turns(channel.to, channel.to_port);
  }

  /// Compares the turns at the next hop of a port that has a channel in the new fabric.
  void compare_turns(SwitchId sw, PortNum port) {
    const ChannelId held = fabric_.channel_at(sw, port);
    const SwitchId to = fabric_.channel(held).to;
    const Kinds now = now_.may_send(sw, port) ? now_.kinds(sw) : Kinds{0};
    const bool was_there = channels_.before(held) != kNoChannel;
    const Kinds old = was_there && before_.may_send(sw, port) ? before_.kinds(sw) : Kinds{0};
    const PortMask next = now_.choices(to), before = before_.choices(to) & ~changed_ports(to);
    for_each_port(now == old ? next ^ before : next | before, [&](PortNum out) {
      const ChannelId wanted = fabric_.channel_at(to, out);
      if (wanted == kNoChannel) return;
      const Kinds here = next[out.value()] ? now : Kinds{0};
      const Kinds there = before[out.value()] ? old : Kinds{0};
      const auto begun = static_cast<Kinds>(here & ~there);
      const auto ended = static_cast<Kinds>(there & ~here);
      if (begun != 0) changes_.begun[{wanted, held}] |= begun;
      if (ended != 0) changes_.ended[{wanted, held}] |= ended;
    });
  }

  const Fabric& old_fabric_;
  const Fabric& fabric_;
  const ChannelMatch& channels_;
  AdaptiveLid before_, now_;
  TurnChanges& changes_;
  Lid lid_{};
  std::vector<SwitchId> others_;
  std::vector<std::uint8_t> is_other_;  // by switch: whether it is in others_
};

TurnChanges compare_choices(const ProvedRoutes& before, const Fabric& fabric, const Routes& routes,
                            const ChannelMatch& channels, std::span<const ChangedEntry> entries,
                            unsigned threads) {
  std::vector<std::size_t> begins;  // index of the first entry of each LID
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (i == 0 || entries[i].lid != entries[i - 1].lid) begins.push_back(i);
  const std::size_t lids = begins.size();
  begins.push_back(entries.size());
  std::vector<TurnChanges> parts((lids + kLidsPerBlock - 1) / kLidsPerBlock);
  parallel_blocks(lids, kLidsPerBlock, threads, [&](std::size_t begin, std::size_t end) {
    ChoiceComparison comparison(before, fabric, routes, channels, parts[begin / kLidsPerBlock]);
    for (std::size_t i = begin; i < end; ++i)
      comparison.compare(entries.subspan(begins[i], begins[i + 1] - begins[i]));
  });
  TurnChanges all;
  for (const TurnChanges& part : parts) {
    for (const auto& [turn, kinds] : part.ended) all.ended[turn] |= kinds;
    for (const auto& [turn, kinds] : part.begun) all.begun[turn] |= kinds;
    all.switch_pairs += part.switch_pairs;
    all.failed = all.failed || part.failed;
  }
  return all;
}

/// Removes the turns that ended, unless packets for another LID still cause them, and adds the
/// turns that began.
void apply_turns(const Fabric& fabric, const Routes& routes, const TurnChanges& changes,
                 std::uint64_t lanes, unsigned threads, Dependencies& all) {
  const std::vector<Turns::value_type> ended(changes.ended.begin(), changes.ended.end());
  std::vector<std::size_t> begins;  // index of the first turn of each switch
  const auto at = [&](std::size_t i) { return fabric.channel(ended[i].first.first).from; };
  for (std::size_t i = 0; i < ended.size(); ++i)
    if (i == 0 || at(i) != at(i - 1)) begins.push_back(i);
  const std::size_t switches = begins.size();
  begins.push_back(ended.size());
  const LidSets lids = assigned_lids(fabric, routes.lfts.blocks());
  std::vector<Kinds> left(ended.size());
  parallel_blocks(switches, kSwitchesPerBlock, threads, [&](std::size_t begin, std::size_t end) {
    WaitingKinds waiting(fabric, routes, lids);
    for (std::size_t k = begin; k < end; ++k, waiting.forget())
      for (std::size_t i = begins[k]; i < begins[k + 1]; ++i)
        left[i] = waiting.find(ended[i].first.second, ended[i].first.first, ended[i].second);
  });
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const auto& [wanted, held] = ended[i].first;
    const auto gone = static_cast<Kinds>(ended[i].second & ~left[i]);
    if ((gone & AdaptiveLid::kOfCas) != 0) all.cas.set_vls(held, wanted, 0);
    if ((gone & AdaptiveLid::kOfAll) != 0) all.switches.set_vls(held, wanted, 0);
  }
  for (const auto& [turn, kinds] : changes.begun) {
    const auto& [wanted, held] = turn;
    if ((kinds & AdaptiveLid::kOfCas) != 0) all.cas.set_vls(held, wanted, lanes);
    if ((kinds & AdaptiveLid::kOfAll) != 0) all.switches.set_vls(held, wanted, lanes);
  }
}

}  // namespace

bool applies_to_adaptive(const Routes& routes, const Common& common) {
  return !depends_on_input(routes) && routes.path_sl.kind() == PathSl::Kind::kUniform &&
         !common.drops && !common.scarce;
}

std::optional<ProvedChanges> prove_adaptive_changes(const ProvedRoutes& before,
                                                    const Fabric& fabric, const Routes& routes,
                                                    const Common& common,
                                                    const ChannelMatch& channels,
                                                    const VerifyOptions& options) {
  const std::size_t most =
      std::max(kChoicesAlways,
               fabric.lid_top().value() * std::size_t{fabric.switch_count()} / kChoicesPerChange);
  const auto entries =
      changed_choices(fabric, before.routes, routes, channels, most, options.threads);
  if (!entries) return std::nullopt;
  const TurnChanges changes =
      compare_choices(before, fabric, routes, channels, *entries, options.threads);
  if (changes.failed || changes.ended.size() > kEndedMost) return std::nullopt;
  ProvedChanges proved{
      carry_over_dependencies(before.dependencies, fabric, routes, common, channels),
      {},
      changes.switch_pairs};
  const PathSls sls(fabric, routes, options.ignore_replies, options.threads);
  const std::uint16_t lanes =
      lanes_of(routes, sls.from_cas(SwitchId(0), SwitchId(0), fabric.lid_top()));
  apply_turns(fabric, routes, changes, lanes, options.threads, proved.dependencies);
  for (const auto& [turn, kinds] : changes.begun)
    if (proved.begun.empty() || proved.begun.back() != turn.first)
      proved.begun.push_back(turn.first);
  return proved;
}

}  // namespace weft
