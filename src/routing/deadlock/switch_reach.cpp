// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/switch_reach.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "routes/next_hops.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/lanes.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

constexpr std::uint32_t kUnreached = 0xFFFFFFFF;
constexpr std::uint32_t kUnknown = kUnreached - 1;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// Calls body(channel) for each channel by which packets for a LID may leave a switch.
template <class Body>
void each_next(const Fabric& fabric, const Routes& routes, std::uint32_t sw, Lid lid,
               const Body& body) {
  for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, SwitchId(sw), lid,
                  [&](PortNum port) {
                    if (port == kNoRoute) return;
                    const ChannelId out = fabric.channel_at(SwitchId(sw), port);
                    if (out != kNoChannel) body(out.value());
                  });
}

/// Calls body(endport, lid) for each LID that can be routed through switches.
template <class Body>
void each_lid(const Fabric& fabric, const Body& body) {
  for (const Endport& to : fabric.endports())
    if (to.addressed())
      for (unsigned offset = 0; offset < lid_count(to); ++offset) body(to, lid_at(to, offset));
}

/// LIDs to which some switch lacks a required path, and the switches without an entry for each.
struct Gaps {
  std::vector<Lid> lids;
  std::vector<std::uint32_t> begin;  // by index in `lids`, and the end
  std::vector<std::uint32_t> switches;

  std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(switches).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

/// Calls body(switch, lid) for each empty entry for a LID up to `lid_top`, row by row. Few entries
/// are empty, so memchr() finds them faster than a look at each.
template <class Body>
void each_empty(const Fabric& fabric, const Lfts& lfts, const Body& body) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto row = lfts.row(SwitchId(s));
    const std::size_t count = std::min(row.size(), std::size_t{fabric.lid_top().value()} + 1);
    std::size_t lid = 0;
    while (lid < count) {
      const void* found = std::memchr(row.data() + lid, kNoRoute.value(), count - lid);
      if (found == nullptr) break;
      lid = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - row.data());
      body(s, lid);
      ++lid;
    }
  }
}

/// By LID: does some switch lack a required entry for it?
std::vector<std::uint8_t> lids_with_gaps(const Fabric& fabric, const Lfts& lfts) {
  enum : std::uint8_t { kUnused, kOfCa, kOfSwitch };
  std::vector<std::uint8_t> owner(std::size_t{fabric.lid_top().value()} + 1, kUnused);
  std::vector<std::uint8_t> with_gaps(owner.size(), 0);
  each_lid(fabric, [&](const Endport& to, Lid lid) {
    owner[lid.value()] = fabric.is_switch(to.node) ? kOfSwitch : kOfCa;
  });
  each_empty(fabric, lfts, [&](std::uint32_t s, std::size_t lid) {
    if (owner[lid] == kOfCa ||
        (owner[lid] == kOfSwitch && !fabric.endports_at(SwitchId(s)).empty()))
      with_gaps[lid] = 1;
  });
  return with_gaps;
}

Gaps gaps_of(const Fabric& fabric, const Lfts& lfts) {
  const auto with_gaps = lids_with_gaps(fabric, lfts);
  Gaps gaps;
  std::vector<std::uint32_t> index(with_gaps.size(), 0);
  for (std::size_t lid = 0; lid < with_gaps.size(); ++lid) {
    index[lid] = static_cast<std::uint32_t>(gaps.lids.size());
    if (with_gaps[lid] != 0) gaps.lids.emplace_back(static_cast<std::uint16_t>(lid));
  }
  const auto each = [&](const auto& body) {
    if (gaps.lids.empty()) return;
    each_empty(fabric, lfts, [&](std::uint32_t s, std::size_t lid) {
      if (with_gaps[lid] != 0) body(index[lid], s);
    });
  };
  gaps.begin.assign(gaps.lids.size() + 2, 0);
  each([&](std::uint32_t i, std::uint32_t) { ++gaps.begin[i + 2]; });
  std::partial_sum(gaps.begin.begin(), gaps.begin.end(), gaps.begin.begin());
  gaps.switches.resize(gaps.begin.back());
  each([&](std::uint32_t i, std::uint32_t s) { gaps.switches[gaps.begin[i + 1]++] = s; });
  gaps.begin.pop_back();
  return gaps;
}

/// A filled entry.
struct Filled {
  SwitchId sw;
  Lid lid;
  PortNum port;
};

void write(std::span<const Filled> entries, Lfts& lfts) {
  for (const Filled& entry : entries) lfts.set(entry.sw, entry.lid, entry.port);
}

class Connector {
 public:
  /// All arguments must outlive this object.
  Connector(const Fabric& fabric, const Turns& turns, Routes& routes)
      : fabric_(fabric),
        routes_(routes),
        turns_(turns),
        held_(turns),
        map_(fabric),
        level_(fabric.switch_count()),
        hop_(fabric.switch_count()) {}

  /// Holds the turns of all packets, or only of packets between CAs. False where they have a cycle.
  bool hold_turns(bool only_cas, unsigned threads) {
    if (only_cas || routes_.adaptive)
      each_lid(fabric_, [&](const Endport& to, Lid lid) {
        each_turn(to, lid, only_cas ? Sources::kCas : Sources::kAll,
                  [&](std::uint32_t in, std::uint32_t out) { held_.add(in, out); });
      });
    else
      held_ = turns_of(fabric_, turns_, routes_.lfts, threads);
    order_ = held_.order();
    return order_.size() == turns_.channel_count();
  }

  /// After hold_turns() of packets between CAs: clears the entries that only packets to and from
  /// port 0 of switches use, where these make a turn that packets between CAs do not make.
  void clear_other_turns() {
    each_lid(fabric_, [&](const Endport& to, Lid lid) {
      bool known = true;
      each_turn(to, lid, Sources::kAll,
                [&](std::uint32_t in, std::uint32_t out) { known = known && held_.has(in, out); });
      if (!known) clear(to, lid);
    });
  }

  struct Outcome {
    std::vector<Filled> filled;
    std::uint64_t missing = 0;  // required entries still empty
  };
  /// After hold_turns() of all packets. The routes are not changed. `gaps`: gaps_of() them. New
  /// turns are tried at `first` first. Stops once more than `missing_max` required entries cannot
  /// be filled.
  Outcome connect(const Gaps& gaps, std::optional<std::uint32_t> first, std::uint64_t missing_max) {
    graph_.emplace(turns_, held_, order_);
    detours_at_.assign(fabric_.switch_count(), 0);
    used_.assign(fabric_.channel_count(), 0);
    closed_.emplace(turns_);
    if (first) detours_at_[*first] = 1;
    Outcome outcome;
    for (std::size_t i = 0; i < gaps.lids.size() && outcome.missing <= missing_max; ++i)
      fill(gaps.lids[i], gaps.of(i), outcome);
    return outcome;
  }

 private:
  PortMap::Way table_hop(std::uint32_t s) const {
    return map_.way(SwitchId(s), routes_.lfts.port(SwitchId(s), lid_));
  }

  /// Hops of a switch to the current LID over turns that are held; kUnreached where there are none.
  /// Sets hop_ of this switch.
  std::uint32_t level(std::uint32_t s) {
    const std::uint32_t known = level_.data()[s];  // unchecked: asked for each neighbour of a gap
    return known != kUnknown ? known : find_level(s);
  }
  /// All switches send to CAs, so all turns toward these are held.
  std::uint32_t find_level(std::uint32_t s) {
    path_.clear();
    std::uint32_t here = s;
    while (level_[here] == kUnknown) {
      level_[here] = kUnreached;  // paths back to here do not reach the LID
      const auto hop = table_hop(here);
      hop_[here] = hop.channel;
      if (hop.channel == kNoChannel) break;
      path_.push_back({here, hop});
      here = hop.to.value();
    }
    for (; !path_.empty(); path_.pop_back()) {
      const auto& [before, hop] = path_.back();
      const std::uint32_t after = hop.to.value();
      if (level_[after] == kUnreached) continue;
      if (toward_ca_ || holds_all(hop.channel.value(), after)) level_[before] = level_[after] + 1;
    }
    return level_[s];
  }
  bool reaches(std::uint32_t s) { return level(s) != kUnreached; }

  /// Switches do not send packets to each other.
  bool is_required(const Endport& to, std::uint32_t s) const {
    return !fabric_.is_switch(to.node) || !fabric_.endports_at(SwitchId(s)).empty();
  }

  enum class Sources { kCas, kAll };
  bool sends(const Endport& to, std::uint32_t s, Sources sources) const {
    if (sources == Sources::kAll) return is_required(to, s);
    return !fabric_.is_switch(to.node) && !fabric_.endports_at(SwitchId(s)).empty();
  }

  /// Switches on the paths of packets from the sources to a LID; calls body(channel) for each hop.
  template <class Body>
  std::vector<bool> walk(const Endport& to, Lid lid, Sources sources, const Body& body) const {
    std::vector<bool> passed(fabric_.switch_count(), false);
    std::vector<std::uint32_t> pending;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (sends(to, s, sources)) pending.push_back(s);
    while (!pending.empty()) {
      const std::uint32_t s = pending.back();
      pending.pop_back();
      if (passed[s]) continue;
      passed[s] = true;
      each_next(fabric_, routes_, s, lid, [&](std::uint32_t channel) {
        body(channel);
        pending.push_back(fabric_.channel(ChannelId(channel)).to.value());
      });
    }
    return passed;
  }
  template <class Body>
  void each_turn(const Endport& to, Lid lid, Sources sources, const Body& body) const {
    walk(to, lid, sources, [&](std::uint32_t in) {
      each_next(fabric_, routes_, fabric_.channel(ChannelId(in)).to.value(), lid,
                [&](std::uint32_t out) { body(in, out); });
    });
  }

  /// Clears the entries of switches that no packets between CAs pass on their path to the LID, and
  /// from which packets may come to a turn that is not held.
  void clear(const Endport& to, Lid lid) {
    const auto of_cas = walk(to, lid, Sources::kCas, [](std::uint32_t) {});
    std::vector<bool> bad(fabric_.switch_count(), false);
    std::vector<std::uint32_t> pending;
    const auto add = [&](std::uint32_t s) {
      if (!bad[s]) pending.push_back(s);
      bad[s] = true;
    };
    each_turn(to, lid, Sources::kAll, [&](std::uint32_t in, std::uint32_t out) {
      if (!held_.has(in, out)) add(fabric_.channel(ChannelId(in)).from.value());
    });
    while (!pending.empty()) {
      const std::uint32_t s = pending.back();
      pending.pop_back();
      for (const Channel& channel : fabric_.channels_from(SwitchId(s)))
        each_next(fabric_, routes_, channel.to.value(), lid, [&](std::uint32_t next) {
          if (fabric_.channel(ChannelId(next)).to.value() == s) add(channel.to.value());
        });
    }
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (of_cas[s] || !bad[s] || s == to.sw.value()) continue;
      routes_.lfts.set(SwitchId(s), lid, kNoRoute);
      if (routes_.adaptive && routes_.adaptive->is_set(SwitchId(s)))
        routes_.adaptive->set(SwitchId(s), lid, {});
    }
  }

  /// Calls body(channel) for each channel by which packets for the current LID may leave a switch
  /// with a known level().
  template <class Body>
  void each_out(std::uint32_t sw, const Body& body) const {
    const ChannelId first = hop_.data()[sw];
    if (first != kNoChannel) body(first.value());
    if (!routes_.adaptive) return;
    const PortMask* group = routes_.adaptive->group_of(SwitchId(sw), lid_);
    if (group == nullptr) return;
    for_each_port(*group, [&](PortNum port) {
      const ChannelId out = fabric_.channel_at(SwitchId(sw), port);
      if (out != kNoChannel && out != first) body(out.value());
    });
  }

  bool holds_all(std::uint32_t in, std::uint32_t after) const {
    bool held = true;
    each_out(after, [&](std::uint32_t out) { held = held && graph_->has(in, out); });
    return held;
  }

  /// Makes a LID the current one. `missing`: switches without an entry for it.
  void begin_lid(const Endport& to, Lid lid, std::span<const std::uint32_t> missing) {
    lid_ = lid;
    toward_ca_ = !fabric_.is_switch(to.node);
    std::ranges::fill(level_, kUnknown);
    level_[to.sw.value()] = 0;
    hop_[to.sw.value()] = table_hop(to.sw.value()).channel;
    gaps_.clear();
    if (toward_ca_) {
      // A switch with an entry toward a CA reaches it.
      for (const std::uint32_t s : missing)
        if (s != to.sw.value()) gaps_.push_back(s);
      return;
    }
    // Entries used only by other switches are filled again if they make turns that are not held.
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (!reaches(s)) gaps_.push_back(s);
  }

  void fill(Lid lid, std::span<const std::uint32_t> missing, Outcome& outcome) {
    const Endport& to = fabric_.endport(fabric_.endport_of(lid));
    begin_lid(to, lid, missing);
    auto required = static_cast<std::size_t>(
        std::ranges::count_if(gaps_, [&](std::uint32_t s) { return is_required(to, s); }));
    // New turns are kept few, because each restricts later ones: one of them often connects all
    // gaps, over switches that need no path themselves.
    near_ = gaps_;
    while (true) {
      while (!near_.empty()) join_over_known_turns(to, required, outcome);
      if (required == 0) break;
      const auto joined = join_over_new_turns(to, required, outcome);
      if (!joined) break;
      add_unreached(*joined);
      sort_near();
    }
    outcome.missing += required;
  }

  struct Candidate {
    std::uint32_t sw;
    std::uint32_t channel;
    std::uint32_t at;
    unsigned new_turns;
  };

  /// Adds to near_ the neighbours of a switch that do not reach the LID yet.
  void add_unreached(std::uint32_t sw) {
    for (const Channel& channel : fabric_.channels_from(SwitchId(sw)))
      if (!reaches(channel.to.value())) near_.push_back(channel.to.value());
  }
  void sort_near() {
    std::ranges::sort(near_);
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  }

  /// Calls body(channel, at) for each hop from a switch to one that reaches the LID.
  template <class Body>
  void each_hop(std::uint32_t s, const Body& body) {
    std::uint32_t channel = fabric_.first_channel(SwitchId(s)).value();
    for (const Channel& hop : fabric_.channels_from(SwitchId(s))) {
      if (reaches(hop.to.value())) body(channel, hop.to.value());
      ++channel;
    }
  }

  /// The shortest path without new turns, over the least used cable.
  std::optional<Candidate> over_known_turns(std::uint32_t s) {
    Candidate best{s, 0, 0, 0};
    std::uint64_t least = ~std::uint64_t{0};
    each_hop(s, [&](std::uint32_t channel, std::uint32_t at) {
      const std::uint64_t cost = std::uint64_t{level_[at]} << 32 | used_[channel];
      if (cost >= least || !holds_all(channel, at)) return;
      best.channel = channel;
      best.at = at;
      least = cost;
    });
    return least == ~std::uint64_t{0} ? std::nullopt : std::optional(best);
  }

  /// Connects as many of near_ as possible to the switches reached before; leaves in near_ the gaps
  /// adjacent to the newly connected ones.
  void join_over_known_turns(const Endport& to, std::size_t& required, Outcome& outcome) {
    candidates_.clear();
    for (const std::uint32_t s : near_)
      if (const auto best = over_known_turns(s)) candidates_.push_back(*best);
    for (const Candidate& candidate : candidates_) join(to, candidate, required, outcome);
    near_.clear();
    for (const Candidate& candidate : candidates_) add_unreached(candidate.sw);
    sort_near();
  }

  /// Hops over new turns, unless one of these would close a known cycle.
  void add_candidates(std::uint32_t s) {
    each_hop(s, [&](std::uint32_t channel, std::uint32_t at) {
      Candidate candidate{s, channel, at, 0};
      bool open = true;
      each_out(at, [&](std::uint32_t out) {
        if (!graph_->has(channel, out)) ++candidate.new_turns;
        open = open && !closed_->has(channel, out);
      });
      if (open) candidates_.push_back(candidate);
    });
  }

  /// Connects one gap, if possible at a switch that already has new turns. Returns it.
  std::optional<std::uint32_t> join_over_new_turns(const Endport& to, std::size_t& required,
                                                   Outcome& outcome) {
    std::erase_if(gaps_, [&](std::uint32_t s) { return reaches(s); });
    candidates_.clear();
    for (const std::uint32_t s : gaps_) add_candidates(s);
    const auto cost = [&](const Candidate& c) {
      return std::tuple(~detours_at_[c.at], level_[c.at], c.new_turns, c.channel);
    };
    // The first candidate nearly always fits, so a heap avoids sorting them all.
    std::ranges::make_heap(candidates_, std::ranges::greater{}, cost);
    while (!candidates_.empty()) {
      std::ranges::pop_heap(candidates_, std::ranges::greater{}, cost);
      const Candidate candidate = candidates_.back();
      candidates_.pop_back();
      if (!take(candidate)) continue;
      join(to, candidate, required, outcome);
      return candidate.sw;
    }
    return std::nullopt;
  }

  void join(const Endport& to, const Candidate& candidate, std::size_t& required,
            Outcome& outcome) {
    required -= is_required(to, candidate.sw) ? 1 : 0;
    const ChannelId channel(candidate.channel);
    outcome.filled.push_back({SwitchId(candidate.sw), lid_, fabric_.channel(channel).from_port});
    hop_[candidate.sw] = channel;
    level_[candidate.sw] = level_[candidate.at] + 1;
    ++used_[candidate.channel];
  }

  bool take(const Candidate& candidate) {
    std::vector<std::uint32_t> added;
    bool free = true;
    each_out(candidate.at, [&](std::uint32_t out) {
      if (!free || graph_->has(candidate.channel, out)) return;
      free = graph_->add(candidate.channel, out);
      if (free) {
        added.push_back(out);
      } else if (added.empty()) {
        closed_->add(candidate.channel, out);
      }
    });
    if (!free) {
      for (const std::uint32_t out : added) graph_->remove(candidate.channel, out);
      return false;
    }
    detours_at_[candidate.at] += static_cast<std::uint32_t>(added.size());
    return true;
  }

  const Fabric& fabric_;
  Routes& routes_;
  const Turns& turns_;
  TurnSet held_;
  std::vector<std::uint32_t> order_;  // of the channels, by held_
  // Of an attempt: the held turns and the new ones.
  std::optional<AcyclicTurns> graph_;
  PortMap map_;
  std::vector<std::uint32_t> detours_at_;  // by switch: turns added there
  std::vector<std::uint32_t> used_;        // by channel: entries filled
  std::optional<TurnSet> closed_;          // turns that would close a cycle
  // Of the current LID:
  Lid lid_{};
  bool toward_ca_ = false;
  std::vector<std::uint32_t> level_;  // by switch: level(), or kUnknown until it is asked
  std::vector<ChannelId> hop_;        // by switch with a known level: the hop of its entry, which
                                // may be a filled one; kNoChannel where none leads to a switch
  std::vector<std::pair<std::uint32_t, PortMap::Way>> path_;  // scratch of level()
  // All gaps, those adjacent to reached switches, and hops there.
  std::vector<std::uint32_t> gaps_;
  std::vector<std::uint32_t> near_;
  std::vector<Candidate> candidates_;
};

/// The first switch tried for new turns determines how many gaps can be filled: after an attempt
/// without one, several switches with hosts are tried until all gaps are filled; else the best
/// result is kept. `gaps`: gaps_of() the routes.
std::uint64_t connect(const Fabric& fabric, const Gaps& gaps, Routes& routes, unsigned threads) {
  constexpr std::uint32_t kTries = 16;
  std::vector<std::uint32_t> with_hosts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) with_hosts.push_back(s);
  const auto count = static_cast<std::uint32_t>(with_hosts.size());
  const std::uint32_t tries = std::min(kTries, count);
  const Turns turns(fabric);
  Connector connector(fabric, turns, routes);
  if (!connector.hold_turns(false, threads)) return 0;
  auto best = connector.connect(gaps, std::nullopt, 0);
  if (best.missing > 0) best.missing = kNoLimit;  // it stopped at the first of them
  for (std::uint32_t i = 0; i <= tries && best.missing > 0; ++i) {
    std::optional<std::uint32_t> first;
    if (i < tries) first = with_hosts[std::uint64_t{i} * count / tries];
    auto outcome = connector.connect(gaps, first, best.missing);
    if (outcome.missing < best.missing) best = std::move(outcome);
  }
  write(best.filled, routes.lfts);
  return best.filled.size();
}

}  // namespace

std::uint64_t connect_switches(const Fabric& fabric, Routes& routes, unsigned threads) {
  const Gaps gaps = gaps_of(fabric, routes.lfts);
  return gaps.lids.empty() ? 0 : connect(fabric, gaps, routes, threads);
}

bool reconnect_switches(const Fabric& fabric, Routes& routes, unsigned threads) {
  {
    const Turns turns(fabric);
    Connector connector(fabric, turns, routes);
    if (!connector.hold_turns(true, threads)) return false;
    connector.clear_other_turns();
  }
  connect(fabric, gaps_of(fabric, routes.lfts), routes, threads);
  return true;
}

}  // namespace weft
