#include "routing/shared/switch_reach.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "routes/next_hops.h"
#include "routing/shared/acyclic_turns.h"
#include "routing/shared/destinations.h"
#include "routing/shared/lanes.h"

namespace weft {
namespace {

constexpr std::uint32_t kUnreached = 0xFFFFFFFF;

/// Calls body(channel) for each channel that packets for a LID may leave a switch by.
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

/// Calls body(endport, lid) for each LID that packets can be sent to through switches.
template <class Body>
void each_lid(const Fabric& fabric, const Body& body) {
  for (const Endport& to : fabric.endports())
    if (to.addressed())
      for (unsigned offset = 0; offset < lid_count(to); ++offset) body(to, lid_at(to, offset));
}

/// By LID whether some switch lacks a path to it that is wanted. Goes along the rows of the tables,
/// because nearly all fabrics have none.
std::vector<std::uint8_t> lids_with_gaps(const Fabric& fabric, const Lfts& lfts) {
  std::vector<std::uint8_t> of_cas(std::size_t{fabric.lid_top().value()} + 1, 0);
  std::vector<std::uint8_t> of_all = of_cas, with_gaps = of_cas;
  each_lid(fabric, [&](const Endport& to, Lid lid) {
    of_all[lid.value()] = 1;
    of_cas[lid.value()] = fabric.is_switch(to.node) ? 0 : 1;
  });
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto& wanted = fabric.endports_at(SwitchId(s)).empty() ? of_cas : of_all;
    const auto row = lfts.row(SwitchId(s));
    for (std::size_t lid = 0; lid < std::min(row.size(), wanted.size()); ++lid)
      if (row[lid] == kNoRoute.value() && wanted[lid] != 0) with_gaps[lid] = 1;
  }
  return with_gaps;
}

class Connector {
 public:
  /// All arguments must outlive it.
  Connector(const Fabric& fabric, const Turns& turns, Routes& routes)
      : fabric_(fabric),
        routes_(routes),
        turns_(turns),
        level_(fabric.switch_count()),
        next_(fabric.switch_count()) {}

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
    if (!held.acyclic()) return false;
    graph_.emplace(turns_, held);
    detours_at_.assign(fabric_.switch_count(), 0);
    used_.assign(fabric_.channel_count(), 0);
    closed_.assign(turns_.count(), false);
    return true;
  }

  /// After begin() with the turns of packets between CAs: clears the entries that only packets to
  /// and from port 0 of switches use, where these make a turn that packets between CAs do not.
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
    std::uint64_t filled = 0;
    std::uint64_t missing = 0;  // wanted entries left open
  };
  /// `first` is where new turns are looked for first.
  Outcome connect(std::optional<std::uint32_t> first) {
    if (first) detours_at_[*first] = 1;
    Outcome outcome;
    const auto with_gaps = lids_with_gaps(fabric_, routes_.lfts);
    const PortMap map(fabric_);
    NextHops hops(map);
    std::optional<std::size_t> block;
    for (std::size_t value = 0; value < with_gaps.size(); ++value) {
      if (with_gaps[value] == 0) continue;
      if (block != value / kLftBlock) hops.load(routes_.lfts, *(block = value / kLftBlock));
      const Lid lid(static_cast<std::uint16_t>(value));
      std::ranges::copy(hops.channels(lid), next_.begin());
      fill(fabric_.endport(fabric_.endport_of(lid)), lid, outcome);
    }
    return outcome;
  }

 private:
  /// Switches send each other nothing.
  bool is_wanted(const Endport& to, std::uint32_t s) const {
    return !fabric_.is_switch(to.node) || !fabric_.endports_at(SwitchId(s)).empty();
  }

  enum class Sources { kCas, kAll };
  bool sends(const Endport& to, std::uint32_t s, Sources sources) const {
    if (sources == Sources::kAll) return is_wanted(to, s);
    return !fabric_.is_switch(to.node) && !fabric_.endports_at(SwitchId(s)).empty();
  }

  /// Switches that packets of the sources to a LID pass; calls body(channel) for each hop.
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

  /// Clears the entries of switches that no packets between CAs pass on their way to the LID, and
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

  /// Calls body(channel) for each channel that packets for the LID in hand may leave a switch by.
  template <class Body>
  void each_out(std::uint32_t sw, Lid lid, const Body& body) const {
    if (routes_.adaptive) return each_next(fabric_, routes_, sw, lid, body);
    if (next_[sw] != kNoChannel) body(next_[sw].value());
  }

  /// By switch the hops to the LID over turns that are held; kUnreached elsewhere. All that sends
  /// there and has a route is reached.
  void find_levels(const Endport& to, Lid lid) {
    constexpr std::uint32_t kUnknown = kUnreached - 1;
    std::ranges::fill(level_, kUnknown);
    level_[to.sw.value()] = 0;
    std::vector<std::uint32_t> path;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      path.clear();
      std::uint32_t here = s;
      while (level_[here] == kUnknown) {
        level_[here] = kUnreached;  // what leads back here does not arrive
        if (next_[here] == kNoChannel) break;
        path.push_back(here);
        here = fabric_.channel(next_[here]).to.value();
      }
      for (; !path.empty(); path.pop_back()) {
        const std::uint32_t in = next_[path.back()].value();
        const std::uint32_t after = fabric_.channel(ChannelId(in)).to.value();
        bool held = level_[after] != kUnreached;
        each_out(after, lid, [&](std::uint32_t out) { held = held && graph_->has(in, out); });
        if (held) level_[path.back()] = level_[after] + 1;
      }
    }
  }

  void fill(const Endport& to, Lid lid, Outcome& outcome) {
    find_levels(to, lid);
    // What only other switches use is filled anew where it makes turns that are not held.
    std::size_t wanted = 0;
    std::vector<std::uint32_t> gaps;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (level_[s] != kUnreached) continue;
      gaps.push_back(s);
      wanted += is_wanted(to, s) ? 1 : 0;
    }
    // New turns stay few, because each narrows what later ones may be: one of them often serves all
    // gaps, over switches that need no path themselves.
    std::vector<std::uint32_t> near = gaps;
    while (true) {
      while (!near.empty()) near = join_over_known_turns(to, lid, near, wanted, outcome);
      if (wanted == 0) break;
      const auto joined = join_over_new_turns(to, lid, gaps, wanted, outcome);
      if (!joined) break;
      add_unreached(*joined, near);
    }
    outcome.missing += wanted;
  }

  struct Candidate {
    std::uint32_t sw;
    std::uint32_t channel;
    std::uint32_t at;
    unsigned new_turns;
  };

  /// Neighbours of a switch from which packets do not arrive yet.
  void add_unreached(std::uint32_t sw, std::vector<std::uint32_t>& into) const {
    for (const Channel& channel : fabric_.channels_from(SwitchId(sw)))
      if (level_[channel.to.value()] == kUnreached) into.push_back(channel.to.value());
  }

  /// Hops from a switch to those that packets arrive from, unless a turn behind them is known to
  /// close a cycle.
  void add_candidates(Lid lid, std::uint32_t s, std::vector<Candidate>& candidates) const {
    const std::uint32_t first = fabric_.first_channel(SwitchId(s)).value();
    const auto channels = fabric_.channels_from(SwitchId(s));
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      const std::uint32_t at = channels[i].to.value();
      if (level_[at] == kUnreached) continue;
      Candidate candidate{s, first + i, at, 0};
      bool open = true;
      each_out(at, lid, [&](std::uint32_t out) {
        if (!graph_->has(first + i, out)) ++candidate.new_turns;
        open = open && !closed_[turns_.turn(first + i, out)];
      });
      if (open) candidates.push_back(candidate);
    }
  }

  /// Joins all of `near` that it can to the switches that were reached before, by the shortest path
  /// without new turns and the least used cable. Returns the gaps that those joined bring near.
  std::vector<std::uint32_t> join_over_known_turns(const Endport& to, Lid lid,
                                                   std::vector<std::uint32_t>& near,
                                                   std::size_t& wanted, Outcome& outcome) {
    std::ranges::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::vector<Candidate> joined;
    for (const std::uint32_t s : near) {
      candidates_.clear();
      add_candidates(lid, s, candidates_);
      std::erase_if(candidates_, [](const Candidate& c) { return c.new_turns > 0; });
      const auto best = std::ranges::min_element(candidates_, {}, [&](const Candidate& c) {
        return std::tuple(level_[c.at], used_[c.channel], c.channel);
      });
      if (best != candidates_.end()) joined.push_back(*best);
    }
    for (const Candidate& candidate : joined) join(to, lid, candidate, wanted, outcome);
    std::vector<std::uint32_t> next;
    for (const Candidate& candidate : joined) add_unreached(candidate.sw, next);
    return next;
  }

  /// Joins one gap, at a switch that has new turns already where that can be. Returns it.
  std::optional<std::uint32_t> join_over_new_turns(const Endport& to, Lid lid,
                                                   std::vector<std::uint32_t>& gaps,
                                                   std::size_t& wanted, Outcome& outcome) {
    std::erase_if(gaps, [&](std::uint32_t s) { return level_[s] != kUnreached; });
    candidates_.clear();
    for (const std::uint32_t s : gaps) add_candidates(lid, s, candidates_);
    std::ranges::sort(candidates_, {}, [&](const Candidate& c) {
      return std::tuple(~detours_at_[c.at], level_[c.at], c.new_turns, c.channel);
    });
    for (const Candidate& candidate : candidates_) {
      if (!take(lid, candidate)) continue;
      join(to, lid, candidate, wanted, outcome);
      return candidate.sw;
    }
    return std::nullopt;
  }

  void join(const Endport& to, Lid lid, const Candidate& candidate, std::size_t& wanted,
            Outcome& outcome) {
    wanted -= is_wanted(to, candidate.sw) ? 1 : 0;
    ++outcome.filled;
    routes_.lfts.set(SwitchId(candidate.sw), lid,
                     fabric_.channel(ChannelId(candidate.channel)).from_port);
    next_[candidate.sw] = ChannelId(candidate.channel);
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
        closed_[turns_.turn(candidate.channel, out)] = true;
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
  std::vector<std::uint32_t> level_;       // by switch
  std::vector<ChannelId> next_;            // by switch: where it sends the LID in hand
  std::vector<std::uint32_t> detours_at_;  // by switch: turns added there
  std::vector<std::uint32_t> used_;        // by channel: entries filled
  std::vector<bool> closed_;               // by turn: it would close a cycle
  std::vector<Candidate> candidates_;
};

/// Where new turns are looked for first decides how many gaps can be filled: tried from several
/// switches with hosts until all are, else the best is kept.
std::uint64_t connect(const Fabric& fabric, Routes& routes, unsigned threads) {
  constexpr std::uint32_t kTries = 16;
  std::vector<std::uint32_t> with_hosts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) with_hosts.push_back(s);
  const auto count = static_cast<std::uint32_t>(with_hosts.size());
  const Turns turns(fabric);
  const TurnSet held = Connector(fabric, turns, routes).turns_held(false, threads);
  std::optional<Routes> best;
  std::uint64_t best_filled = 0, best_missing = 0;
  for (std::uint32_t i = 0; i <= std::min(kTries, count); ++i) {
    Routes tried = routes;
    Connector connector(fabric, turns, tried);
    if (!connector.begin(held)) return 0;
    const auto outcome = connector.connect(
        i == 0 ? std::nullopt
               : std::optional(with_hosts[std::uint64_t{i - 1} * count / std::min(kTries, count)]));
    if (best && outcome.missing >= best_missing) continue;
    best = std::move(tried);
    best_filled = outcome.filled;
    best_missing = outcome.missing;
    if (best_missing == 0) break;
  }
  routes = std::move(*best);
  return best_filled;
}

}  // namespace

std::uint64_t connect_switches(const Fabric& fabric, Routes& routes, unsigned threads) {
  const auto with_gaps = lids_with_gaps(fabric, routes.lfts);
  return std::ranges::find(with_gaps, 1) == with_gaps.end() ? 0 : connect(fabric, routes, threads);
}

bool reconnect_switches(const Fabric& fabric, Routes& routes, unsigned threads) {
  {
    const Turns turns(fabric);
    Connector connector(fabric, turns, routes);
    if (!connector.begin(connector.turns_held(true, threads))) return false;
    connector.clear_other_turns();
  }
  connect(fabric, routes, threads);
  return true;
}

}  // namespace weft
