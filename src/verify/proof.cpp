// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/proof.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "verify/block_verifier.h"
#include "verify/changes/adaptive_changes.h"
#include "verify/changes/proof_stages.h"
#include "verify/lid_flow.h"
#include "verify/stages.h"
#include "verify/table_changes.h"

namespace weft {
namespace {

constexpr std::size_t kEntriesAlways = 4096;
constexpr std::size_t kEntriesPerChange = 2048;  // more changes: complete verification is as fast
constexpr std::size_t kLidsPerTask = 16;

/// Packets that hold one channel and wait for another. Channels are those of the new fabric,
/// kNoChannel if there are no such packets.
struct Wait {
  ChannelId held = kNoChannel;
  ChannelId wanted = kNoChannel;
  LidFlow::Lanes lanes;
  bool operator==(const Wait&) const = default;
};

struct WaitChanges {
  /// Dependencies that ended for a LID; packets to other LIDs may still cause them.
  std::vector<std::pair<ChannelId, ChannelId>> ended;
  std::vector<Wait> begun;
  std::int64_t switch_pairs = 0;  // increase of pairs that arrive at switches from switches
  bool failed = false;
};

/// Routes with the data that is needed to follow packets to single LIDs.
struct FollowedRoutes {
  FollowedRoutes(const Fabric& a_fabric, const Routes& a_routes, const VerifyOptions& options)
      : fabric(a_fabric),
        routes(a_routes),
        sls(a_fabric, a_routes, options.ignore_replies, options.threads) {}

  const Fabric& fabric;
  const Routes& routes;
  const PathSls sls;
};

/// Compares the packets to one LID by the old and the new routes.
class LidComparison {
 public:
  LidComparison(const FollowedRoutes& before, const FollowedRoutes& now,
                const ChannelMatch& channels)
      : fabric_(now.fabric),
        channels_(channels),
        before_(before.fabric, before.routes, before.sls),
        now_(now.fabric, now.routes, now.sls) {}

  /// Records the changed dependencies of packets to one LID. `entries`: the changed entries of this
  /// LID.
  void compare(std::span<const ChangedEntry> entries, WaitChanges& changes) {
    const Lid lid = entries.front().lid;
    if (fabric_.endport(fabric_.endport_of(lid)).sw == kNoSwitch) {
      changes.failed = true;
      return;
    }
    before_.select(lid);
    now_.select(lid);
    if (!all_arrive(entries, changes)) {
      changes.failed = true;
      return;
    }
    for (const ChangedEntry& entry : entries) {
      before_.spread_lanes(entry.sw.value());
      now_.spread_lanes(entry.sw.value());
    }
    for (const auto& [sw, side] : affected(entries)) compare_at(sw, side, changes);
  }

 private:
  /// All packets arrive if the packets that use a changed entry arrive.
  bool all_arrive(std::span<const ChangedEntry> entries, WaitChanges& changes) {
    if (!now_.is_of_switch())
      return std::ranges::all_of(
          entries, [&](const ChangedEntry& entry) { return now_.arrives(entry.sw.value()); });
    // Switches need not reach the LID: an entry that no packets of CAs use may have no route.
    bool as_before = true;
    for (const ChangedEntry& entry : entries) {
      const std::uint32_t sw = entry.sw.value();
      const bool arrives = now_.arrives(sw);
      if (!arrives && (!now_.ends_without_route(sw) || now_.lanes(sw).all != 0)) return false;
      as_before = as_before && arrives == before_.arrives(sw);
    }
    // All other packets end like the packets at the first changed entry on their path.
    if (!as_before)
      changes.switch_pairs += std::int64_t{now_.count_arriving()} - before_.count_arriving();
    return true;
  }

  /// Whether packets reach a switch after a changed entry by the old routes, or by the new routes.
  /// Both bits are set for switches with changed entries and for switches that send to them.
  enum : std::uint8_t { kBehindBefore = 1, kBehindNow = 2, kBehindBoth = 3 };
  using Affected = std::pair<std::uint32_t, std::uint8_t>;

  std::vector<Affected> affected(std::span<const ChangedEntry> entries) const {
    std::vector<Affected> found;
    for (const ChangedEntry& entry : entries)
      for (const LidFlow* flow : {&before_, &now_}) {
        const std::uint32_t first = entry.sw.value();
        flow->for_each_sender(first, [&](std::uint32_t s) { found.emplace_back(s, kBehindBoth); });
        found.emplace_back(first, kBehindBoth);
        for (LidFlow::Hop hop = flow->next(first); hop.channel != kNoChannel;
             hop = flow->next(hop.to.value()))
          found.emplace_back(hop.to.value(), flow == &now_ ? kBehindNow : kBehindBefore);
      }
    std::ranges::sort(found);
    std::size_t count = 0;
    for (const Affected& one : found) {
      if (count > 0 && found[count - 1].first == one.first)
        found[count - 1].second |= one.second;
      else
        found[count++] = one;
    }
    found.resize(count);
    return found;
  }

  /// Adds the changed dependency at a switch. If only one of the routes reaches the switch after a
  /// changed entry, the switch has the same hops by both, and the packets that pass it by the new
  /// routes are a subset or a superset of the packets before.
  void compare_at(std::uint32_t sw, std::uint8_t side, WaitChanges& changes) {
    const Wait wait = wait_in(now_, sw);
    const Wait old = side == kBehindNow ? Wait{} : wait_before(sw);
    if (old == wait) return;
    if (old.held != kNoChannel) changes.ended.emplace_back(old.held, old.wanted);
    if (wait.held != kNoChannel && side != kBehindBefore) changes.begun.push_back(wait);
  }

  /// The channel that packets hold after a switch, and the channel that they then wait for.
  static Wait wait_in(LidFlow& flow, std::uint32_t sw) {
    const LidFlow::Hop first = flow.next(sw);
    if (first.channel == kNoChannel) return {};
    const LidFlow::Hop second = flow.next(first.to.value());
    const LidFlow::Lanes lanes = flow.lanes(sw);
    if (second.channel == kNoChannel || lanes.all == 0) return {};
    return {first.channel, second.channel, lanes};
  }
  Wait wait_before(std::uint32_t sw) {
    Wait wait = wait_in(before_, sw);
    if (wait.held == kNoChannel) return wait;
    wait.held = channels_.now(wait.held);
    wait.wanted = channels_.now(wait.wanted);
    return wait.held == kNoChannel || wait.wanted == kNoChannel ? Wait{} : wait;
  }

  const Fabric& fabric_;
  const ChannelMatch& channels_;
  LidFlow before_, now_;
};

WaitChanges compare_all(const FollowedRoutes& before, const FollowedRoutes& now,
                        const ChannelMatch& channels, std::span<const ChangedEntry> entries,
                        unsigned threads) {
  std::vector<std::size_t> begins;  // index of the first entry of each LID
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (i == 0 || entries[i].lid != entries[i - 1].lid) begins.push_back(i);
  const std::size_t lids = begins.size();
  begins.push_back(entries.size());
  std::vector<WaitChanges> parts((lids + kLidsPerTask - 1) / kLidsPerTask);
  parallel_blocks(lids, kLidsPerTask, threads, [&](std::size_t begin, std::size_t end) {
    LidComparison comparison(before, now, channels);
    for (std::size_t i = begin; i < end; ++i)
      comparison.compare(entries.subspan(begins[i], begins[i + 1] - begins[i]),
                         parts[begin / kLidsPerTask]);
  });
  WaitChanges all;
  for (const WaitChanges& part : parts) {
    all.ended.insert(all.ended.end(), part.ended.begin(), part.ended.end());
    all.begun.insert(all.begun.end(), part.begun.begin(), part.begun.end());
    all.switch_pairs += part.switch_pairs;
    all.failed = all.failed || part.failed;
  }
  std::ranges::sort(all.ended);
  all.ended.erase(std::unique(all.ended.begin(), all.ended.end()), all.ended.end());
  return all;
}

void apply(const FollowedRoutes& now, const WaitChanges& changes, unsigned threads,
           Dependencies& all) {
  std::vector<LidFlow::Lanes> left(changes.ended.size());
  parallel_blocks(left.size(), kLidsPerTask, threads, [&](std::size_t begin, std::size_t end) {
    LidFlow flow(now.fabric, now.routes, now.sls);
    for (std::size_t i = begin; i < end; ++i) {
      const auto& [held, wanted] = changes.ended[i];
      const LidFlow::Lanes requested{static_cast<std::uint16_t>(all.cas.vls(held, wanted)),
                                     static_cast<std::uint16_t>(all.switches.vls(held, wanted))};
      left[i] = lanes_of_wait(now.fabric, now.routes, flow, held, wanted, requested);
    }
  });
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto& [held, wanted] = changes.ended[i];
    all.cas.set_vls(held, wanted, left[i].cas);
    all.switches.set_vls(held, wanted, left[i].all);
  }
  for (const Wait& wait : changes.begun) {
    all.cas.set_vls(wait.held, wait.wanted, all.cas.vls(wait.held, wait.wanted) | wait.lanes.cas);
    all.switches.set_vls(wait.held, wait.wanted,
                         all.switches.vls(wait.held, wait.wanted) | wait.lanes.all);
  }
}

/// The channels that packets wait for in new dependencies.
std::vector<ChannelId> wanted_first(const WaitChanges& changes) {
  std::vector<ChannelId> wanted;
  for (const Wait& wait : changes.begun) wanted.push_back(wait.wanted);
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

/// Returns nullopt if only a complete verification can prove the routes.
std::optional<ProvedChanges> prove_static_changes(const ProvedRoutes& before, const Fabric& fabric,
                                                  const Routes& routes, const Common& common,
                                                  const ChannelMatch& channels,
                                                  const VerifyOptions& options) {
  const std::size_t most =
      std::max(kEntriesAlways,
               fabric.lid_top().value() * std::size_t{fabric.switch_count()} / kEntriesPerChange);
  const auto entries =
      changed_entries(fabric, before.routes.lfts, routes.lfts, channels, most, options.threads);
  if (!entries) return std::nullopt;
  const FollowedRoutes old(before.fabric, before.routes, options), now(fabric, routes, options);
  const WaitChanges changes = compare_all(old, now, channels, *entries, options.threads);
  if (changes.failed) return std::nullopt;
  ProvedChanges proved{
      carry_over_dependencies(before.dependencies, fabric, routes, common, channels),
      wanted_first(changes), changes.switch_pairs};
  apply(now, changes, options.threads, proved.dependencies);
  return proved;
}

}  // namespace

/// A complete verdict implies that the fabric is in one part: all its switches reach some CA. If
/// there is a multicast credit loop, loops with packets of switches were not searched for.
bool is_complete(const Verdict& verdict) {
  return verdict.ok() && verdict.multicast_credit_loop.empty() && verdict.broken.empty() &&
         verdict.ca_to_ca.all() && verdict.switch_to_ca.all() && verdict.switch_to_ca.pairs > 0 &&
         verdict.ca_to_switch.all() && verdict.empty.empty();
}

Proof prove(const Fabric& fabric, const Routes& routes, const VerifyOptions& options) {
  UnicastResult unicast = verify_unicast(fabric, routes, options);
  return conclude_proof(fabric, routes, unicast.common, unicast.sls, options,
                        std::move(unicast.dependencies), std::move(unicast.tallies),
                        std::move(unicast.verdict));
}

std::optional<Proof> prove_changes(const ProvedRoutes& before, const Fabric& fabric,
                                   const Routes& routes, const VerifyOptions& options) {
  const Verdict& proved = before.verdict;
  if (fabric.switch_count() == 0 || !is_complete(proved) ||
      proved.replies_ignored != options.ignore_replies || !why_empty(fabric).empty() ||
      !(routes.path_sl == before.routes.path_sl) || !(routes.sl2vl == before.routes.sl2vl))
    return std::nullopt;
  const bool adaptive = routes.adaptive.has_value();
  const Common common = survey(fabric, routes);
  if (before.routes.adaptive.has_value() != adaptive ||
      (adaptive && before.routes.adaptive->has_private_tables()) ||
      (adaptive ? !applies_to_adaptive(routes, common) : !BlockVerifier::applies(routes, common)) ||
      common.vls != before.dependencies.cas.vl_count() || !is_one_part(fabric, common))
    return std::nullopt;
  const auto channels = ChannelMatch::of(before.fabric, fabric);
  if (!channels) return std::nullopt;
  auto changes = (adaptive ? prove_adaptive_changes : prove_static_changes)(
      before, fabric, routes, common, *channels, options);
  if (!changes) return std::nullopt;
  Verdict verdict = same_counts(proved);
  verdict.switch_to_switch.arrived += static_cast<std::uint64_t>(changes->switch_pairs);
  const PathSls sls(fabric, routes, options.ignore_replies, options.threads);
  Proof proof =
      conclude_proof(fabric, routes, common, sls, options, std::move(changes->dependencies), {},
                     std::move(verdict), &changes->begun);
  if (!is_complete(proof.verdict)) return std::nullopt;
  return proof;
}

}  // namespace weft
