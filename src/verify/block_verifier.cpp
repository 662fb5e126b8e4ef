// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/block_verifier.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "verify/step.h"

namespace weft {
namespace {

constexpr std::uint64_t kAllLids = ~std::uint64_t{0};
constexpr unsigned kLowLanes = 8;

/// Calls body(i) for each bit of a word.
template <class Body>
void for_each_lid_of(std::uint64_t lids, const Body& body) {
  if (lids == kAllLids) {
    for (std::size_t i = 0; i < 64; ++i) body(i);
    return;
  }
  for (; lids != 0; lids &= lids - 1) body(static_cast<std::size_t>(std::countr_zero(lids)));
}

bool has(const std::uint64_t* words, std::size_t i) { return (words[i / 64] >> (i % 64) & 1) != 0; }
void put(std::uint64_t* words, std::size_t i) { words[i / 64] |= std::uint64_t{1} << (i % 64); }

}  // namespace

bool BlockVerifier::applies(const Routes& routes, const Common& common) {
  return !routes.adaptive && routes.sl2vl.uniform() && !common.drops && !common.scarce;
}

BlockVerifier::BlockVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                             const PathSls& sls, const HopMap& map,
                             const BlockDependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      common_(common),
      sls_(sls),
      map_(map),
      dependencies_(dependencies),
      switches_(fabric.switch_count()),
      owner_(kLids),
      at_(kLids),
      has_owner_(switches_, 0),
      has_cas_(switches_, 0),
      hops_(switches_ * kLids),
      passing_(switches_ * kBlocks),
      done_(switches_ * kBlocks),
      ends_(switches_) {
  for (std::uint32_t s = 0; s < switches_; ++s)
    has_cas_[s] = fabric.endports_at(SwitchId(s)).empty() ? 0 : 1;
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    lane_of_sl_[sl] = lanes_of(routes, static_cast<PathSls::Mask>(1u << sl));
}

void BlockVerifier::verify(std::size_t first_block, std::size_t failures_max,
                           std::span<LidTally> tallies) {
  CHECK(tallies.size() <= kBlocks);
  first_lid_ = first_block * kLftBlock;
  find_owners(tallies.size());
  if (std::ranges::all_of(owner_, [](EndportId id) { return id == kNoEndport; })) return;
  load_next_hops();
  check_entries();
  std::ranges::fill(done_, 0);
  if (common_.vls == 1) {
    follow_on_one_lane();
  } else if (common_.vls <= kLowLanes) {
    follow_on_lanes<std::uint16_t>();
  } else {
    follow_on_lanes<std::uint32_t>();
  }
  follow_to_switches();
  count(failures_max, tallies);
}

void BlockVerifier::find_owners(std::size_t blocks) {
  for (std::size_t k = 0; k < kBlocks; ++k) to_ca_[k] = to_switch_[k] = followed_[k] = 0;
  std::ranges::fill(has_owner_, 0);
  for (std::size_t i = 0; i < kLids; ++i) {
    owner_[i] = i < blocks * kLftBlock ? fabric_.endport_of(lid(i)) : kNoEndport;
    at_[i] = owner_[i] == kNoEndport ? kNoSwitch : fabric_.endport(owner_[i]).sw;
    if (owner_[i] == kNoEndport) continue;
    if (at_[i] == kNoSwitch) {
      put(followed_, i);
      continue;
    }
    has_owner_[at_[i].value()] = 1;
    if (fabric_.is_switch(fabric_.endport(owner_[i]).node)) {
      put(to_switch_, i);
    } else {
      put(to_ca_, i);
    }
  }
}

/// Translates output ports to next hops.
void BlockVerifier::load_next_hops() {
  const std::size_t all = routes_.lfts.blocks();
  const std::size_t blocks = std::min(kBlocks, all - std::min(all, first_lid_ / kLftBlock));
  std::ranges::fill(missing_with_cas_, std::uint16_t{0});
  std::ranges::fill(missing_without_, std::uint16_t{0});
  for (std::uint32_t s = 0; s < switches_; ++s) {
    load_next_hops_of(s, blocks);
    note_missing(s);
  }
}

void BlockVerifier::load_next_hops_of(std::uint32_t s, std::size_t blocks) {
  constexpr std::uint32_t kAhead = 8;  // rows to prefetch, as rows are far apart in memory
  std::uint8_t* const hops = row(s);
  if (blocks > 0) {
    const std::uint8_t* const ports = routes_.lfts.row(SwitchId(s)).data() + first_lid_;
    if (s + kAhead < switches_) {
      const std::uint8_t* const ahead = routes_.lfts.row(SwitchId(s + kAhead)).data() + first_lid_;
      for (std::size_t k = 0; k < blocks; ++k) __builtin_prefetch(ahead + k * kLftBlock);
    }
    const HopMap::Ports own = map_.consecutive_ports(s);
    if (own.count > 0) {
      for (std::size_t i = 0; i < blocks * kLftBlock; ++i) {
        const auto hop = static_cast<std::uint8_t>(ports[i] - own.first);
        hops[i] = hop < own.count ? hop : HopMap::kNoHop;
      }
    } else {
      const std::uint8_t* const of_port = map_.hop_of_port(s);
      for (std::size_t i = 0; i < blocks * kLftBlock; ++i) hops[i] = of_port[ports[i]];
    }
  }
  std::fill(hops + blocks * kLftBlock, hops + kLids, HopMap::kNoHop);
}

/// Counts the LIDs without a next hop at a switch that is not the switch of their owner.
void BlockVerifier::note_missing(std::uint32_t s) {
  const std::uint8_t* const hops = row(s);
  std::uint16_t* const missing = has_cas_[s] != 0 ? missing_with_cas_ : missing_without_;
  if (has_owner_[s] == 0) {
    for (std::size_t i = 0; i < kLids; ++i)
      missing[i] = static_cast<std::uint16_t>(missing[i] + (hops[i] == HopMap::kNoHop ? 1 : 0));
    return;
  }
  for (std::size_t i = 0; i < kLids; ++i)
    if (hops[i] == HopMap::kNoHop && at_[i] != SwitchId(s)) ++missing[i];
}

/// Selects the LIDs to be followed: those with an entry from which packets do not arrive. At the
/// owner's switch, packets must leave through the owner's port.
void BlockVerifier::check_entries() {
  for (std::size_t i = 0; i < kLids; ++i) {
    if (at_[i] == kNoSwitch) continue;
    const bool leaves = routes_.lfts.port(at_[i], lid(i)) == fabric_.endport(owner_[i]).sw_port;
    const bool complete =
        missing_with_cas_[i] == 0 && (missing_without_[i] == 0 || has(to_switch_, i));
    if (!leaves || !complete) put(followed_, i);
  }
}

void BlockVerifier::count(std::size_t failures_max, std::span<LidTally> tallies) {
  for (std::size_t i = 0; i < tallies.size() * kLftBlock; ++i) {
    LidTally& tally = tallies[i / kLftBlock];
    if (has(followed_, i)) {
      count_ends(
          fabric_, lid(i), find_ends(i), common_, [](const Endport&) { return kNoSwitch; },
          failures_max, tally);
    } else if (owner_[i] != kNoEndport) {
      count_all_arrived(fabric_, lid(i), common_, missing_without_[i], tally);
    }
  }
}

/// Finds the end of packets from each switch.
std::span<const LidEnd> BlockVerifier::find_ends(std::size_t i) {
  const std::uint8_t* const hops = hops_.data() + i;
  const auto next = [&](std::uint32_t at) {
    const std::uint8_t hop = hops[at * kLids];
    return hop == HopMap::kNoHop ? kNoSwitch : SwitchId(map_.hops(at)[hop].to);
  };
  const auto last = [&](std::uint32_t at) {
    const SwitchId sw(at);
    return step(fabric_, sw, routes_.lfts.port(sw, lid(i)), owner_[i]).end;
  };
  return ends_.find(next, last);
}

/// Follows the LIDs that pass each switch until no switch has new LIDs. Alternates between the
/// order of the map and the reverse order, so that few rounds are needed in a tree.
template <class Follow>
void BlockVerifier::spread(const Follow& follow) {
  const std::vector<std::uint32_t>& order = map_.order();
  bool forward = true;
  bool more = true;
  while (more) {
    more = false;
    for (std::size_t n = 0; n < switches_; ++n) {
      const std::uint32_t s = order[forward ? n : switches_ - 1 - n];
      Word* const done = done_.data() + s * kBlocks;
      const Word* const passing = passing_.data() + s * kBlocks;
      for (std::size_t k = 0; k < kBlocks; ++k) {
        const Word lids = passing[k] & ~done[k];
        if (lids == 0) continue;
        done[k] |= lids;
        follow(s, k, lids);
        more = true;
      }
    }
    forward = !forward;
  }
}

/// Whether the owner of a LID is the only CA at a switch, so that no CA there sends to this LID.
bool BlockVerifier::is_only_owner(std::uint32_t s, std::size_t i) const {
  const auto hosts = fabric_.endports_at(SwitchId(s));
  return hosts.size() == 1 && hosts.front() == owner_[i];
}

void BlockVerifier::start_on_one_lane() {
  std::ranges::fill(passing_, 0);
  for (std::uint32_t s = 0; s < switches_; ++s)
    for (std::size_t k = 0; has_cas_[s] != 0 && k < kBlocks; ++k)
      passing_[s * kBlocks + k] = to_ca_[k] | to_switch_[k];
  for (std::size_t i = 0; i < kLids; ++i)
    if (at_[i] != kNoSwitch && is_only_owner(at_[i].value(), i))
      passing_[at_[i].value() * kBlocks + i / 64] &= ~(Word{1} << (i % 64));
}

void BlockVerifier::follow_on_one_lane() {
  const DependencyGraph::Marker cas(dependencies_.of_traffic.cas);
  const DependencyGraph::Marker switches(dependencies_.of_traffic.switches);
  start_on_one_lane();
  spread([&](std::uint32_t s, std::size_t k, Word lids) {
    if ((lids & to_ca_[k]) != 0) follow_word<true>(s, k, lids & to_ca_[k], cas);
    if ((lids & to_switch_[k]) != 0) follow_word<true>(s, k, lids & to_switch_[k], switches);
  });
  // Packets from port 0 of all switches to CAs, if they may add edges to the graph.
  for (std::uint32_t s = 0; s < switches_; ++s)
    for (std::size_t k = 0; k < kBlocks; ++k)
      if (const Word lids = to_ca_[k] & ~done_[s * kBlocks + k]; lids != 0)
        follow_word<false>(s, k, lids, switches);
}

/// Adds the dependencies between the next two hops from a switch for the given LIDs.
template <bool kSpread>
void BlockVerifier::follow_word(std::uint32_t s, std::size_t word, Word lids,
                                DependencyGraph::Marker marker) {
  const std::uint8_t* const hops = row(s) + word * kLftBlock;
  const std::uint8_t* const all = hops_.data() + word * kLftBlock;
  const HopMap::Hop* const channels = map_.hops(s);
  Word* const passing = passing_.data() + word;
  for_each_lid_of(lids, [&](std::size_t i) {
    if (hops[i] == HopMap::kNoHop) return;
    const HopMap::Hop& next = channels[hops[i]];
    const std::uint8_t after = all[next.to * kLids + i];
    if (after != HopMap::kNoHop) marker.mark(next.first_bit + after, 1);
    if constexpr (kSpread) passing[next.to * kBlocks] |= Word{1} << i;
  });
}

/// Adds the dependencies of all entries for LIDs of switches. Such a LID must be followed if a hop
/// leads to a switch without a next hop.
void BlockVerifier::follow_to_switches() {
  const DependencyGraph::Marker marker(dependencies_.to_switches);
  const std::size_t stride = dependencies_.of_traffic.cas.bits_per_pair();
  for (std::uint32_t s = 0; s < switches_; ++s) {
    const HopMap::Hop* const channels = map_.hops(s);
    for (std::size_t k = 0; k < kBlocks; ++k) {
      if (to_switch_[k] == 0) continue;
      const std::uint8_t* const hops = row(s) + k * kLftBlock;
      const std::uint8_t* const all = hops_.data() + k * kLftBlock;
      for_each_lid_of(to_switch_[k], [&](std::size_t i) {
        if (hops[i] == HopMap::kNoHop) return;
        const HopMap::Hop& next = channels[hops[i]];
        const std::uint8_t after = all[next.to * kLids + i];
        if (after != HopMap::kNoHop) {
          marker.mark(next.first_bit / stride + after, 1);
        } else if (at_[k * kLftBlock + i] != SwitchId(next.to)) {
          put(followed_, k * kLftBlock + i);
        }
      });
    }
  }
}

/// Finds runs of consecutive LIDs of CAs, or of switches, at one switch. The LIDs of a run have the
/// same replies.
void BlockVerifier::find_runs() {
  runs_.clear();
  for (std::size_t i = 0; i < kLids; ++i) {
    if (at_[i] == kNoSwitch) continue;
    const bool goes_on = !runs_.empty() && runs_.back().end == i && at_[i] == at_[i - 1] &&
                         has(to_ca_, i) == has(to_ca_, i - 1);
    if (!goes_on) runs_.push_back({i, i, {}});
    ++runs_.back().end;
    put(runs_.back().lids.data(), i);
  }
}

/// The VLs of the packets that start at each switch: packets between CAs in the low half, all
/// packets in the high half.
template <class Pair>
void BlockVerifier::start_on_lanes(std::vector<Pair>& lanes) {
  std::ranges::fill(passing_, 0);
  std::ranges::fill(lanes, Pair{0});
  find_runs();
  for (std::uint32_t s = 0; s < switches_; ++s)
    for (const Run& run : runs_) start_run(s, run, lanes.data() + s * kLids);
}

template <class Pair>
void BlockVerifier::start_run(std::uint32_t s, const Run& run, Pair* row) {
  constexpr unsigned kHalf = sizeof(Pair) * 4;
  const std::size_t begin = run.begin;
  const std::size_t end = run.end;
  const SwitchId destination = at_[begin];
  const bool for_ca = has(to_ca_, begin);
  const bool from_cas =
      has_cas_[s] != 0 && !(destination == SwitchId(s) && is_only_owner(s, begin));
  if (!for_ca && !from_cas) return;  // no traffic between switches
  const PathSls::Replies replies = sls_.replies(SwitchId(s), destination);
  const unsigned of_cas = from_cas ? lanes_of(routes_, replies.from_cas) : 0u;
  const unsigned of_switch = for_ca ? lanes_of(routes_, replies.from_switch) : 0u;
  const unsigned fixed = (for_ca ? of_cas : 0u) | (of_cas | of_switch) << kHalf;
  const unsigned halves = (for_ca && from_cas ? 1u : 0u) | 1u << kHalf;  // halves that requests use
  const PathSl::Kind kind = routes_.path_sl.kind();
  if (kind == PathSl::Kind::kUniform || kind == PathSl::Kind::kBySwitchPair) {
    const Sl sl = routes_.path_sl.sl(SwitchId(s), destination, lid(begin));
    std::fill(row + begin, row + end, static_cast<Pair>(fixed | lane_of_sl_[sl.value()] * halves));
  } else {
    const std::uint8_t* const sl = routes_.path_sl.row(SwitchId(s)).data() + first_lid_;
    for (std::size_t i = begin; i < end; ++i)
      row[i] = static_cast<Pair>(fixed | lane_of_sl_[sl[i]] * halves);
  }
  for (std::size_t k = 0; k < kBlocks; ++k) passing_[s * kBlocks + k] |= run.lids[k];
}

template <class Pair>
void BlockVerifier::follow_lanes_of(std::uint32_t s, std::size_t word, Word lids,
                                    std::vector<Pair>& lanes) {
  constexpr unsigned kHalf = sizeof(Pair) * 4;
  constexpr Pair kLow = static_cast<Pair>((1u << kHalf) - 1);
  const DependencyGraph::Marker cas(dependencies_.of_traffic.cas);
  const DependencyGraph::Marker switches(dependencies_.of_traffic.switches);
  const std::size_t stride = dependencies_.of_traffic.cas.bits_per_pair();
  const std::uint8_t* const hops = row(s) + word * kLftBlock;
  const std::uint8_t* const all = hops_.data() + word * kLftBlock;
  const HopMap::Hop* const channels = map_.hops(s);
  Pair* const all_lanes = lanes.data() + word * kLftBlock;
  const Pair* const here = all_lanes + s * kLids;
  Word* const passing = passing_.data() + word;
  Word* const done = done_.data() + word;
  for_each_lid_of(lids, [&](std::size_t i) {
    if (hops[i] == HopMap::kNoHop) return;
    const HopMap::Hop& next = channels[hops[i]];
    const std::uint8_t after = all[next.to * kLids + i];
    const Pair pair = here[i];
    if (after != HopMap::kNoHop) {
      const std::size_t at = next.first_bit + after * stride;
      cas.mark(at, pair & kLow);
      // Dependencies of packets between CAs are added to `switches` at the end.
      if (const auto added = static_cast<Pair>((pair >> kHalf) & ~pair & kLow); added != 0)
        switches.mark(at, added);
    }
    Pair& there = all_lanes[next.to * kLids + i];
    const Pair joined = static_cast<Pair>(there | pair);
    if (joined == there) return;
    there = joined;
    passing[next.to * kBlocks] |= Word{1} << i;
    done[next.to * kBlocks] &= ~(Word{1} << i);  // to be followed again
  });
}

template <class Pair>
void BlockVerifier::follow_on_lanes() {
  std::vector<Pair>& lanes = std::get<std::vector<Pair>>(lanes_);
  lanes.resize(switches_ * kLids);
  start_on_lanes(lanes);
  spread([&](std::uint32_t s, std::size_t k, Word lids) { follow_lanes_of(s, k, lids, lanes); });
}

}  // namespace weft
