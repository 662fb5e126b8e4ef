// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/switch_reach.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "routes/next_hops.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/lanes.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

constexpr std::uint32_t kUnreached = 0xFFFFFFFF;
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

/// By LID: does some switch lack a required path to it? Reads the tables row by row, because nearly
/// all fabrics lack none.
std::vector<std::uint8_t> lids_with_gaps(const Fabric& fabric, const Lfts& lfts) {
  std::vector<std::uint8_t> of_cas(std::size_t{fabric.lid_top().value()} + 1, 0);
  std::vector<std::uint8_t> of_all = of_cas, with_gaps = of_cas;
  each_lid(fabric, [&](const Endport& to, Lid lid) {
    of_all[lid.value()] = 1;
    of_cas[lid.value()] = fabric.is_switch(to.node) ? 0 : 1;
  });
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto& required = fabric.endports_at(SwitchId(s)).empty() ? of_cas : of_all;
    const auto row = lfts.row(SwitchId(s));
    const std::size_t count = std::min(row.size(), required.size());
    for (std::size_t lid = 0; lid < count;
         ++lid)  // no branches, so that the compiler vectorises it
      with_gaps[lid] =
          row[lid] == kNoRoute.value() ? with_gaps[lid] | required[lid] : with_gaps[lid];
  }
  return with_gaps;
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
        next_(fabric.switch_count()),
        over_(fabric.switch_count()) {}

  /// The turns of all packets, or only of packets between CAs.
  TurnSet turns_held(bool only_cas, unsigned threads) const {
    const bool as_tables_say = !only_cas && !routes_.adaptive;
    TurnSet held =
        as_tables_say ? turns_of(fabric_, turns_, routes_.lfts, threads) : TurnSet(turns_);
    if (!as_tables_say)
      each_lid(fabric_, [&](const Endport& to, Lid lid) {
        each_turn(to, lid, only_cas ? Sources::kCas : Sources::kAll,
                  [&](std::uint32_t in, std::uint32_t out) { held.add(in, out); });
      });
    return held;
  }

  /// `held` are turns_held() of these routes. False where they have a cycle.
  bool begin(const TurnSet& held) {
    const auto order = held.order();
    if (order.size() != turns_.channel_count()) return false;
    graph_.emplace(turns_, held, order);
    detours_at_.assign(fabric_.switch_count(), 0);
    used_.assign(fabric_.channel_count(), 0);
    closed_.emplace(turns_);
    return true;
  }

  /// After begin() with the turns of packets between CAs: clears the entries that only packets to
  /// and from port 0 of switches use, where these make a turn that packets between CAs do not make.
  void clear_other_turns() {
    each_lid(fabric_, [&](const Endport& to, Lid lid) {
      bool known = true;
      each_turn(to, lid, Sources::kAll, [&](std::uint32_t in, std::uint32_t out) {
        known = known && graph_->has(in, out);
      });
      if (!known) clear(to, lid);
    });
  }

  struct Outcome {
    std::vector<Filled> filled;
    std::uint64_t missing = 0;  // required entries still empty
  };
  /// The routes are not changed. `with_gaps`: lids_with_gaps(). New turns are tried at `first`
  /// first. Stops once more than `missing_max` required entries cannot be filled.
  Outcome connect(std::span<const std::uint8_t> with_gaps, std::optional<std::uint32_t> first,
                  std::uint64_t missing_max, unsigned threads) {
    if (first) detours_at_[*first] = 1;
    Outcome outcome;
    const auto blocks = blocks_with_gaps(with_gaps);
    threads = threads_worth(std::uint64_t{blocks.size()} * kLftBlock * fabric_.switch_count() * 2,
                            threads);
    const PortMap map(fabric_);
    std::vector<Tables> slots(threads == 1 ? 1 : std::min(kSlots, blocks.size()),
                              Tables{NextHops(map), {}, {}});
    for (Tables& tables : slots) {
      tables.levels.resize(std::size_t{kLftBlock} * fabric_.switch_count());
      tables.path.resize(fabric_.switch_count());
    }
    std::atomic<bool> stopped = false;
    const auto prepare = [&](std::size_t i, std::size_t slot) {
      if (!stopped) prepare_block(blocks[i], with_gaps, slots[slot]);
    };
    const auto fill = [&](std::size_t i, std::size_t slot) {
      if (!stopped) fill_block(blocks[i], with_gaps, slots[slot], outcome);
      stopped = outcome.missing > missing_max;
    };
    run_pipeline(blocks.size(), slots.size(), threads,
                 {prepare, fill, [](std::size_t, std::size_t) {}});
    return outcome;
  }

 private:
  static constexpr std::size_t kSlots = 3;  // one is filled while others are prepared

  /// The tables of a block of LIDs, and precomputed data about them.
  struct Tables {
    NextHops hops;
    std::vector<std::uint32_t> levels;  // row by LID
    std::vector<std::uint32_t> path;    // scratch
  };

  static std::vector<std::size_t> blocks_with_gaps(std::span<const std::uint8_t> with_gaps) {
    std::vector<std::size_t> blocks;
    for (std::size_t lid = 0; lid < with_gaps.size(); ++lid)
      if (with_gaps[lid] != 0 && (blocks.empty() || blocks.back() != lid / kLftBlock))
        blocks.push_back(lid / kLftBlock);
    return blocks;
  }

  /// Calls body(endport, LID, its levels) for each LID of a block that has gaps.
  template <class Body>
  void each_in_block(std::size_t block, std::span<const std::uint8_t> with_gaps, Tables& tables,
                     const Body& body) const {
    const std::size_t begin = block * kLftBlock;
    const std::size_t end = std::min(begin + kLftBlock, with_gaps.size());
    for (std::size_t value = begin; value < end; ++value) {
      if (with_gaps[value] == 0) continue;
      const Lid lid(static_cast<std::uint16_t>(value));
      const std::size_t row = (value - begin) * fabric_.switch_count();
      body(fabric_.endport(fabric_.endport_of(lid)), lid,
           std::span(tables.levels).subspan(row, fabric_.switch_count()));
    }
  }

  /// All switches send to CAs, so all turns toward these are held, and levels do not depend on
  /// entries filled for other LIDs.
  bool holds_all_toward(const Endport& to) const { return !fabric_.is_switch(to.node); }

  void prepare_block(std::size_t block, std::span<const std::uint8_t> with_gaps,
                     Tables& tables) const {
    tables.hops.load(routes_.lfts, block);
    each_in_block(block, with_gaps, tables,
                  [&](const Endport& to, Lid lid, std::span<std::uint32_t> levels) {
                    if (holds_all_toward(to))
                      find_levels(to, tables.hops.channels(lid), tables.hops.switches(lid), levels,
                                  tables.path, [](std::uint32_t, std::uint32_t) { return true; });
                  });
  }

  void fill_block(std::size_t block, std::span<const std::uint8_t> with_gaps, Tables& tables,
                  Outcome& outcome) {
    each_in_block(
        block, with_gaps, tables, [&](const Endport& to, Lid lid, std::span<std::uint32_t> levels) {
          level_ = levels;
          std::ranges::copy(tables.hops.channels(lid), next_.begin());
          std::ranges::copy(tables.hops.switches(lid), over_.begin());
          if (!holds_all_toward(to))
            find_levels(
                to, next_, over_, levels, tables.path,
                [&](std::uint32_t in, std::uint32_t after) { return holds_all(in, after, lid); });
          fill(to, lid, outcome);
        });
  }

  /// By switch the hops to the LID over turns that are held; kUnreached elsewhere. Every switch
  /// that sends to the LID and has a route is reached. held(channel, at): may packets continue from
  /// a channel at the switch at its end?
  template <class Held>
  void find_levels(const Endport& to, std::span<const ChannelId> next,
                   std::span<const SwitchId> over, std::span<std::uint32_t> level,
                   std::span<std::uint32_t> path, const Held& held) const {
    constexpr std::uint32_t kUnknown = kUnreached - 1;
    std::ranges::fill(level, kUnknown);
    level[to.sw.value()] = 0;
    for (std::uint32_t s = 0; s < level.size(); ++s) {
      std::size_t length = 0;
      std::uint32_t here = s;
      while (level[here] == kUnknown) {
        level[here] = kUnreached;  // paths back to here do not reach the LID
        if (next[here] == kNoChannel) break;
        path[length++] = here;
        here = over[here].value();
      }
      while (length > 0) {
        const std::uint32_t before = path[--length], after = over[before].value();
        if (level[after] == kUnreached || !held(next[before].value(), after)) continue;
        level[before] = level[after] + 1;
      }
    }
  }

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
      if (!graph_->has(in, out)) add(fabric_.channel(ChannelId(in)).from.value());
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

  /// Calls body(channel) for each channel by which packets for the current LID may leave a switch.
  template <class Body>
  void each_out(std::uint32_t sw, Lid lid, const Body& body) const {
    const ChannelId first = next_[sw];
    if (first != kNoChannel) body(first.value());
    if (!routes_.adaptive) return;
    const PortMask* group = routes_.adaptive->group_of(SwitchId(sw), lid);
    if (group == nullptr) return;
    for_each_port(*group, [&](PortNum port) {
      const ChannelId out = fabric_.channel_at(SwitchId(sw), port);
      if (out != kNoChannel && out != first) body(out.value());
    });
  }

  bool holds_all(std::uint32_t in, std::uint32_t after, Lid lid) const {
    bool held = true;
    each_out(after, lid, [&](std::uint32_t out) { held = held && graph_->has(in, out); });
    return held;
  }

  void fill(const Endport& to, Lid lid, Outcome& outcome) {
    // Entries used only by other switches are refilled if they make turns that are not held.
    std::size_t required = 0;
    gaps_.clear();
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (level_[s] != kUnreached) continue;
      gaps_.push_back(s);
      required += is_required(to, s) ? 1 : 0;
    }
    // New turns are kept few, because each restricts later ones: one of them often connects all
    // gaps, over switches that need no path themselves.
    near_ = gaps_;
    while (true) {
      while (!near_.empty()) join_over_known_turns(to, lid, required, outcome);
      if (required == 0) break;
      const auto joined = join_over_new_turns(to, lid, required, outcome);
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
      if (level_[channel.to.value()] == kUnreached) near_.push_back(channel.to.value());
  }
  void sort_near() {
    std::ranges::sort(near_);
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  }

  /// Calls body(channel, at) for each hop from a switch to one that reaches the LID.
  template <class Body>
  void each_hop(std::uint32_t s, const Body& body) const {
    std::uint32_t channel = fabric_.first_channel(SwitchId(s)).value();
    for (const Channel& hop : fabric_.channels_from(SwitchId(s))) {
      if (level_[hop.to.value()] != kUnreached) body(channel, hop.to.value());
      ++channel;
    }
  }

  /// The shortest path without new turns, over the least used cable.
  std::optional<Candidate> over_known_turns(Lid lid, std::uint32_t s) const {
    Candidate best{s, 0, 0, 0};
    std::uint64_t least = ~std::uint64_t{0};
    each_hop(s, [&](std::uint32_t channel, std::uint32_t at) {
      const std::uint64_t cost = std::uint64_t{level_[at]} << 32 | used_[channel];
      if (cost >= least || !holds_all(channel, at, lid)) return;
      best.channel = channel;
      best.at = at;
      least = cost;
    });
    return least == ~std::uint64_t{0} ? std::nullopt : std::optional(best);
  }

  /// Connects as many of near_ as possible to the switches reached before; leaves in near_ the gaps
  /// adjacent to the newly connected ones.
  void join_over_known_turns(const Endport& to, Lid lid, std::size_t& required, Outcome& outcome) {
    candidates_.clear();
    for (const std::uint32_t s : near_)
      if (const auto best = over_known_turns(lid, s)) candidates_.push_back(*best);
    for (const Candidate& candidate : candidates_) join(to, lid, candidate, required, outcome);
    near_.clear();
    for (const Candidate& candidate : candidates_) add_unreached(candidate.sw);
    sort_near();
  }

  /// Hops over new turns, unless one of these would close a known cycle.
  void add_candidates(Lid lid, std::uint32_t s) {
    each_hop(s, [&](std::uint32_t channel, std::uint32_t at) {
      Candidate candidate{s, channel, at, 0};
      bool open = true;
      each_out(at, lid, [&](std::uint32_t out) {
        if (!graph_->has(channel, out)) ++candidate.new_turns;
        open = open && !closed_->has(channel, out);
      });
      if (open) candidates_.push_back(candidate);
    });
  }

  /// Connects one gap, if possible at a switch that already has new turns. Returns it.
  std::optional<std::uint32_t> join_over_new_turns(const Endport& to, Lid lid,
                                                   std::size_t& required, Outcome& outcome) {
    std::erase_if(gaps_, [&](std::uint32_t s) { return level_[s] != kUnreached; });
    candidates_.clear();
    for (const std::uint32_t s : gaps_) add_candidates(lid, s);
    const auto cost = [&](const Candidate& c) {
      return std::tuple(~detours_at_[c.at], level_[c.at], c.new_turns, c.channel);
    };
    // The first candidate nearly always fits, so a heap avoids sorting them all.
    std::ranges::make_heap(candidates_, std::ranges::greater{}, cost);
    while (!candidates_.empty()) {
      std::ranges::pop_heap(candidates_, std::ranges::greater{}, cost);
      const Candidate candidate = candidates_.back();
      candidates_.pop_back();
      if (!take(lid, candidate)) continue;
      join(to, lid, candidate, required, outcome);
      return candidate.sw;
    }
    return std::nullopt;
  }

  void join(const Endport& to, Lid lid, const Candidate& candidate, std::size_t& required,
            Outcome& outcome) {
    required -= is_required(to, candidate.sw) ? 1 : 0;
    const ChannelId channel(candidate.channel);
    outcome.filled.push_back({SwitchId(candidate.sw), lid, fabric_.channel(channel).from_port});
    next_[candidate.sw] = channel;
    over_[candidate.sw] = SwitchId(candidate.at);
    level_[candidate.sw] = level_[candidate.at] + 1;
    ++used_[candidate.channel];
  }

  bool take(Lid lid, const Candidate& candidate) {
    std::vector<std::uint32_t> added;
    bool free = true;
    each_out(candidate.at, lid, [&](std::uint32_t out) {
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
  std::optional<AcyclicTurns> graph_;
  std::span<std::uint32_t> level_;         // by switch: of the current LID
  std::vector<ChannelId> next_;            // by switch: output channel of the current LID
  std::vector<SwitchId> over_;             // and its neighbour
  std::vector<std::uint32_t> detours_at_;  // by switch: turns added there
  std::vector<std::uint32_t> used_;        // by channel: entries filled
  std::optional<TurnSet> closed_;          // turns that would close a cycle
  // Of the current LID: all gaps, those adjacent to reached switches, and hops there.
  std::vector<std::uint32_t> gaps_;
  std::vector<std::uint32_t> near_;
  std::vector<Candidate> candidates_;
};

/// The first switch tried for new turns determines how many gaps can be filled: after an attempt
/// without one, several switches with hosts are tried until all gaps are filled; else the best
/// result is kept. `with_gaps`: lids_with_gaps().
std::uint64_t connect(const Fabric& fabric, std::span<const std::uint8_t> with_gaps, Routes& routes,
                      unsigned threads) {
  constexpr std::uint32_t kTries = 16;
  std::vector<std::uint32_t> with_hosts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) with_hosts.push_back(s);
  const auto count = static_cast<std::uint32_t>(with_hosts.size());
  const std::uint32_t tries = std::min(kTries, count);
  const Turns turns(fabric);
  Connector connector(fabric, turns, routes);
  const TurnSet held = connector.turns_held(false, threads);
  if (!connector.begin(held)) return 0;
  auto best = connector.connect(with_gaps, std::nullopt, 0, threads);
  if (best.missing > 0) best.missing = kNoLimit;  // it stopped at the first of them
  for (std::uint32_t i = 0; i <= tries && best.missing > 0; ++i) {
    std::optional<std::uint32_t> first;
    if (i < tries) first = with_hosts[std::uint64_t{i} * count / tries];
    connector.begin(held);
    auto outcome = connector.connect(with_gaps, first, best.missing, threads);
    if (outcome.missing < best.missing) best = std::move(outcome);
  }
  write(best.filled, routes.lfts);
  return best.filled.size();
}

}  // namespace

std::uint64_t connect_switches(const Fabric& fabric, Routes& routes, unsigned threads) {
  const auto with_gaps = lids_with_gaps(fabric, routes.lfts);
  if (std::ranges::find(with_gaps, 1) == with_gaps.end()) return 0;
  return connect(fabric, with_gaps, routes, threads);
}

bool reconnect_switches(const Fabric& fabric, Routes& routes, unsigned threads) {
  {
    const Turns turns(fabric);
    Connector connector(fabric, turns, routes);
    if (!connector.begin(connector.turns_held(true, threads))) return false;
    connector.clear_other_turns();
  }
  connect(fabric, lids_with_gaps(fabric, routes.lfts), routes, threads);
  return true;
}

}  // namespace weft
