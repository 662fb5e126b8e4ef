// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/switch_reach.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "routes/next_hops.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/detour_switches.h"
#include "routing/deadlock/lanes.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

constexpr std::uint32_t kUnreached = 0xFFFFFFFF;
constexpr std::uint32_t kLevelUnknown = kUnreached - 1;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// Calls body(channel) for each possible output channel of a switch for a LID.
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

/// Whether packets for two LIDs may use the same output channels at every switch.
bool have_same_choices(const PortMap& map, const Routes& routes, Lid one, Lid other) {
  const ArTables* const adaptive = routes.adaptive ? &*routes.adaptive : nullptr;
  for (std::uint32_t s = 0; s < routes.lfts.switch_count(); ++s) {
    const SwitchId sw(s);
    const PortMask* const group = adaptive == nullptr ? nullptr : adaptive->group_of(sw, one);
    if (adaptive != nullptr && adaptive->group_of(sw, other) != group) return false;
    const PortNum ports[] = {routes.lfts.port(sw, one), routes.lfts.port(sw, other)};
    if (ports[0] == ports[1]) continue;
    for (const PortNum port : ports)
      if (map.hop(sw, port).to != kNoSwitch && (group == nullptr || !group->test(port.value())))
        return false;
  }
  return true;
}

/// Calls body(endport, lid) for each LID that can be routed through switches.
template <class Body>
void each_lid(const Fabric& fabric, const Body& body) {
  for (const Endport& to : fabric.endports())
    if (to.addressed())
      for (unsigned offset = 0; offset < lid_count(to); ++offset) body(to, lid_at(to, offset));
}

/// LIDs for which a required entry is empty, and for each of these LIDs the switches without an
/// entry.
struct Gaps {
  std::vector<Lid> lids;
  std::vector<std::uint32_t> begin;  // by index in `lids`, and the end
  std::vector<std::uint32_t> switches;

  std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(switches).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

/// Calls body(switch, lid) for each empty entry, row by row. memchr() is faster than a loop over
/// all entries, because few entries are empty.
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

/// By switch, 1 if a CA or router is cabled to the switch.
std::vector<std::uint8_t> switches_with_hosts(const Fabric& fabric) {
  std::vector<std::uint8_t> result(fabric.switch_count());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    result[s] = fabric.endports_at(SwitchId(s)).empty() ? 0 : 1;
  return result;
}

/// The kind of endport with a LID. Only switches with hosts need entries for LIDs of switches.
enum class Owner : std::uint8_t { kNone, kCa, kSwitch };
std::vector<Owner> owners(const Fabric& fabric) {
  std::vector<Owner> result(std::size_t{fabric.lid_top().value()} + 1, Owner::kNone);
  each_lid(fabric, [&](const Endport& to, Lid lid) {
    result[lid.value()] = fabric.is_switch(to.node) ? Owner::kSwitch : Owner::kCa;
  });
  return result;
}

Gaps gaps_of(const Fabric& fabric, const Lfts& lfts) {
  constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;
  const auto owner = owners(fabric);
  const auto with_hosts = switches_with_hosts(fabric);
  std::vector<std::uint32_t> empty(owner.size(), 0);  // by LID: number of empty entries
  std::vector<std::uint32_t> index(owner.size(), kNoIndex);
  each_empty(fabric, lfts, [&](std::uint32_t s, std::size_t lid) {
    ++empty[lid];
    if (owner[lid] == Owner::kCa || (owner[lid] == Owner::kSwitch && with_hosts[s] != 0))
      index[lid] = 0;
  });
  Gaps gaps;
  gaps.begin = {0};
  std::vector<std::uint32_t> next;  // by index of the LID: position of the next switch
  for (std::size_t lid = 0; lid < owner.size(); ++lid) {
    if (index[lid] == kNoIndex) continue;
    index[lid] = static_cast<std::uint32_t>(gaps.lids.size());
    gaps.lids.emplace_back(static_cast<std::uint16_t>(lid));
    next.push_back(gaps.begin.back());
    gaps.begin.push_back(gaps.begin.back() + empty[lid]);
  }
  if (gaps.lids.empty()) return gaps;
  gaps.switches.resize(gaps.begin.back());
  each_empty(fabric, lfts, [&](std::uint32_t s, std::size_t lid) {
    if (index[lid] != kNoIndex) gaps.switches[next[index[lid]]++] = s;
  });
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

class LaneConnector {
 public:
  /// All arguments must outlive this object.
  LaneConnector(const Fabric& fabric, const Turns& turns, Routes& routes)
      : fabric_(fabric),
        routes_(routes),
        turns_(turns),
        with_hosts_(switches_with_hosts(fabric)),
        held_(turns),
        map_(fabric),
        level_(fabric.switch_count()),
        hop_(fabric.switch_count()),
        open_(fabric.switch_count()),
        path_(fabric.switch_count()) {
    for (const Channel& channel : fabric.channels()) ends_.push_back(channel.to.value());
  }

  /// Collects the turns of all packets, or only of packets between CAs, in held_. Returns false if
  /// the turns have a cycle.
  bool collect_turns(bool only_cas, unsigned threads) {
    if (only_cas || routes_.adaptive) {
      std::vector<Lid> last(fabric_.switch_count(), kLidNone);  // by switch: LID of a CA
      each_lid(fabric_, [&](const Endport& to, Lid lid) {
        if (!fabric_.is_switch(to.node)) {
          const Lid before = std::exchange(last[to.sw.value()], lid);
          // LIDs of CAs at one switch with the same choices have the same turns.
          if (before != kLidNone && have_same_choices(map_, routes_, before, lid)) return;
        }
        each_turn(to, lid, only_cas ? Sources::kCas : Sources::kAll,
                  [&](std::uint32_t in, std::uint32_t out) { held_.add(in, out); });
      });
    } else {
      held_ = turns_of(fabric_, turns_, routes_.lfts, threads);
    }
    order_ = held_.order();
    return order_.size() == turns_.channel_count();
  }

  /// Must be called after collect_turns() for packets between CAs. Clears the entries that only
  /// packets to and from port 0 of switches use, if these packets have a turn that packets between
  /// CAs do not have.
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
    std::uint64_t missing = 0;  // number of required entries that are still empty
  };
  /// Finds entries to fill, without a change of the routes. Must be called after collect_turns()
  /// for all packets. `gaps`: result of gaps_of(); `order`: the order of the LIDs of `gaps`. New
  /// turns are tried first at the switch `first` and its neighbors. Stops if more than
  /// `missing_max` required entries cannot be filled.
  Outcome connect(const Gaps& gaps, std::span<const std::uint32_t> order,
                  std::optional<SwitchId> first, std::uint64_t missing_max) {
    graph_.emplace(turns_, held_, order_);
    detours_at_.assign(fabric_.switch_count(), 0);
    used_.assign(fabric_.channel_count(), 0);
    closed_.emplace(turns_);
    if (first) {
      detours_at_[first->value()] = 1;
      for (const Channel& channel : fabric_.channels_from(*first))
        detours_at_[channel.to.value()] = 1;
    }
    Outcome outcome;
    for (const std::uint32_t i : order) {
      if (outcome.missing > missing_max) break;
      fill(gaps.lids[i], gaps.of(i), outcome);
    }
    return outcome;
  }

 private:
  PortMap::Hop table_hop(std::uint32_t s) const {
    return map_.hop(SwitchId(s), routes_.lfts.port(SwitchId(s), lid_));
  }

  void set_hop(std::uint32_t s, ChannelId channel) {
    hop_.data()[s] = channel;
    open_.data()[s] = channel == kNoChannel || graph_->has_any_to(channel.value()) ? 1 : 0;
  }

  /// The hop count from a switch to the current LID over turns in held_; kUnreached if there is no
  /// such path. Sets hop_ of the switch.
  std::uint32_t level(std::uint32_t s) {
    const std::uint32_t known = level_.data()[s];  // no bounds check: frequent
    return known != kLevelUnknown ? known : find_level(s);
  }
  /// Computes level(). All switches send packets to CAs, so held_ contains all turns toward CAs.
  std::uint32_t find_level(std::uint32_t s) {
    std::uint32_t* const levels = level_.data();
    std::uint32_t* const path = path_.data();
    std::size_t length = 0;
    std::uint32_t here = s;
    while (levels[here] == kLevelUnknown) {
      levels[here] = kUnreached;  // if the path returns to this switch
      const auto hop = table_hop(here);
      set_hop(here, hop.channel);
      if (hop.channel == kNoChannel) break;
      path[length++] = here;
      here = hop.to.value();
    }
    for (std::uint32_t after = here; length > 0; after = path[length]) {
      const std::uint32_t before = path[--length];
      if (levels[after] == kUnreached) continue;
      if (toward_ca_ || holds_all(hop_.data()[before].value(), after))
        levels[before] = levels[after] + 1;
    }
    return levels[s];
  }
  bool reaches(std::uint32_t s) { return level(s) != kUnreached; }

  /// Whether a switch needs an entry for a LID of `to`. Packets between port 0 of two switches are
  /// ignored.
  bool is_required(const Endport& to, std::uint32_t s) const {
    return !fabric_.is_switch(to.node) || with_hosts_[s] != 0;
  }

  enum class Sources { kCas, kAll };
  bool sends(const Endport& to, std::uint32_t s, Sources sources) const {
    if (sources == Sources::kAll) return is_required(to, s);
    return !fabric_.is_switch(to.node) && with_hosts_[s] != 0;
  }

  /// Returns, by switch, whether packets from the sources to a LID may pass through the switch.
  /// Calls body(channel) for each hop.
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

  /// Clears the entries of switches through which no packets between CAs pass on their path to the
  /// LID, if packets from these switches may have a turn that is not in held_.
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

  /// Calls body(channel) for each possible output channel of a switch for the current LID. The
  /// level() of the switch must be known.
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

  /// Begins a LID. `missing`: switches without an entry for the LID.
  void begin_lid(const Endport& to, Lid lid, std::span<const std::uint32_t> missing) {
    lid_ = lid;
    toward_ca_ = !fabric_.is_switch(to.node);
    std::ranges::fill(level_, kLevelUnknown);
    level_[to.sw.value()] = 0;
    set_hop(to.sw.value(), table_hop(to.sw.value()).channel);
    gaps_.clear();
    if (toward_ca_) {
      // Every entry toward a CA is on a path to the CA.
      for (const std::uint32_t s : missing)
        if (s != to.sw.value()) gaps_.push_back(s);
      return;
    }
    // Entries that are used only by other switches are filled again if they have turns that are not
    // in held_.
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (!reaches(s)) gaps_.push_back(s);
  }

  void fill(Lid lid, std::span<const std::uint32_t> missing, Outcome& outcome) {
    const Endport& to = fabric_.endport(fabric_.endport_of(lid));
    begin_lid(to, lid, missing);
    auto required = static_cast<std::size_t>(
        std::ranges::count_if(gaps_, [&](std::uint32_t s) { return is_required(to, s); }));
    // Few new turns are added, because each new turn excludes other turns. One new turn often
    // connects all gaps, by paths through switches that need no entry.
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

  /// Adds the neighbors of a switch from which the LID is not reachable yet to near_.
  void add_unreached(std::uint32_t sw) {
    for (const Channel& channel : fabric_.channels_from(SwitchId(sw)))
      if (!reaches(channel.to.value())) near_.push_back(channel.to.value());
  }
  void sort_near() {
    std::ranges::sort(near_);
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  }

  /// Calls body(channel, at) for each hop from a switch to a switch `at` from which the LID is
  /// reachable.
  template <class Body>
  void each_hop(std::uint32_t s, const Body& body) {
    const std::uint32_t first = fabric_.first_channel(SwitchId(s)).value();
    const auto hops = std::span(ends_).subspan(first, fabric_.channels_from(SwitchId(s)).size());
    for (std::uint32_t i = 0; i < hops.size(); ++i)
      if (const std::uint32_t at = hops.data()[i]; reaches(at)) body(first + i, at);
  }

  /// Returns the hop of the shortest path without new turns, over the least used cable; nullopt if
  /// there is no such path.
  std::optional<Candidate> over_known_turns(std::uint32_t s) {
    Candidate best{s, 0, 0, 0};
    std::uint64_t least = ~std::uint64_t{0};
    each_hop(s, [&](std::uint32_t channel, std::uint32_t at) {
      if (open_.data()[at] == 0) return;
      const std::uint64_t cost = std::uint64_t{level_[at]} << 32 | used_[channel];
      if (cost >= least || !holds_all(channel, at)) return;
      best.channel = channel;
      best.at = at;
      least = cost;
    });
    return least == ~std::uint64_t{0} ? std::nullopt : std::optional(best);
  }

  /// Connects as many switches of near_ as possible to switches from which the LID is reachable.
  /// Then sets near_ to the gaps that are adjacent to the connected switches.
  void join_over_known_turns(const Endport& to, std::size_t& required, Outcome& outcome) {
    candidates_.clear();
    for (const std::uint32_t s : near_)
      if (const auto best = over_known_turns(s)) candidates_.push_back(*best);
    for (const Candidate& candidate : candidates_) join(to, candidate, required, outcome);
    near_.clear();
    for (const Candidate& candidate : candidates_) add_unreached(candidate.sw);
    sort_near();
  }

  /// Key for the order in which switches are tried for new turns: first by the number of new turns
  /// at the switch, largest first, then by the hop count to the LID.
  std::uint64_t trial_key(std::uint32_t at) const {
    return std::uint64_t{~detours_at_.data()[at]} << 32 | level_.data()[at];
  }

  /// Sets candidates_ to the hops to switches with the lowest trial_key() that is at least `first`;
  /// hops with the fewest new turns come first. Returns the key of these switches; kNoLimit if
  /// there are no such switches. Omits hops that would close a known cycle.
  std::uint64_t find_candidates(std::uint64_t first) {
    candidates_.clear();
    std::uint64_t least = kNoLimit;
    for (const std::uint32_t s : gaps_)
      each_hop(s, [&](std::uint32_t channel, std::uint32_t at) {
        const std::uint64_t here = trial_key(at);
        if (here < first || here > least) return;
        if (here < least) candidates_.clear();
        least = here;
        add_candidate({s, channel, at, 0});
      });
    std::ranges::sort(candidates_, {},
                      [](const Candidate& c) { return std::pair(c.new_turns, c.channel); });
    return least;
  }
  void add_candidate(Candidate candidate) {
    bool open = true;
    each_out(candidate.at, [&](std::uint32_t out) {
      if (!graph_->has(candidate.channel, out)) ++candidate.new_turns;
      open = open && !closed_->has(candidate.channel, out);
    });
    if (open) candidates_.push_back(candidate);
  }

  /// Connects one gap, preferably at a switch with new turns, and returns the gap; nullopt if this
  /// is impossible.
  std::optional<std::uint32_t> join_over_new_turns(const Endport& to, std::size_t& required,
                                                   Outcome& outcome) {
    std::erase_if(gaps_, [&](std::uint32_t s) { return reaches(s); });
    std::uint64_t tried = 0;
    while ((tried = find_candidates(tried)) != kNoLimit) {
      for (const Candidate& candidate : candidates_) {
        if (!add_turns(candidate)) continue;
        join(to, candidate, required, outcome);
        return candidate.sw;
      }
      ++tried;
    }
    return std::nullopt;
  }

  void join(const Endport& to, const Candidate& candidate, std::size_t& required,
            Outcome& outcome) {
    required -= is_required(to, candidate.sw) ? 1 : 0;
    const ChannelId channel(candidate.channel);
    outcome.filled.push_back({SwitchId(candidate.sw), lid_, fabric_.channel(channel).from_port});
    set_hop(candidate.sw, channel);
    level_[candidate.sw] = level_[candidate.at] + 1;
    ++used_[candidate.channel];
  }

  /// Adds the new turns of a hop. Returns false, without a change, if they would close a cycle.
  bool add_turns(const Candidate& candidate) {
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
    open_[candidate.at] = 1;
    return true;
  }

  const Fabric& fabric_;
  Routes& routes_;
  const Turns& turns_;
  std::vector<std::uint8_t> with_hosts_;  // by switch
  std::vector<std::uint32_t> ends_;       // by channel: the switch at its end
  TurnSet held_;
  std::vector<std::uint32_t> order_;  // topological order of the channels in held_
  // The turns of an attempt: those in held_ and the new turns.
  std::optional<AcyclicTurns> graph_;
  PortMap map_;
  std::vector<std::uint32_t> detours_at_;  // by switch: number of new turns
  std::vector<std::uint32_t> used_;        // by channel: number of filled entries
  std::optional<TurnSet> closed_;          // turns that would close a cycle
  // Data of the current LID:
  Lid lid_{};
  bool toward_ca_ = false;
  std::vector<std::uint32_t> level_;  // by switch: level(), or kLevelUnknown before the first call
  // By switch with a known level: the channel of its entry, even if the entry was filled;
  // kNoChannel if no cable connects the port with a switch.
  std::vector<ChannelId> hop_;
  std::vector<std::uint8_t>
      open_;  // by switch with a known level: whether a turn to its hop is in graph_
  std::vector<std::uint32_t> path_;  // temporary list of find_level()
  // All gaps, the gaps adjacent to connected switches, and possible hops of the latter gaps.
  std::vector<std::uint32_t> gaps_;
  std::vector<std::uint32_t> near_;
  std::vector<Candidate> candidates_;
};

/// An order of the LIDs for an attempt. Turns that are added for one LID can exclude the last path
/// to another LID, so the order determines how many gaps can be filled. Number 0: LIDs of switches,
/// which have the fewest possible paths, come before LIDs of CAs, each by number of gaps,
/// ascending. Numbers 1 and 2: by LID, ascending and descending. Other numbers: a random order with
/// this seed.
std::vector<std::uint32_t> lid_order(const Fabric& fabric, const Gaps& gaps, std::uint32_t number) {
  const auto count = static_cast<std::uint32_t>(gaps.lids.size());
  if (number >= 3) return Rng(number).permutation(count);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (number == 2) std::ranges::reverse(order);
  if (number > 0) return order;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const bool to_ca = !fabric.is_switch(fabric.endport(fabric.endport_of(gaps.lids[i])).node);
    return std::pair(to_ca, gaps.of(i).size());
  });
  return order;
}

/// Makes several attempts: with new turns at selected switches, then in several orders of the LIDs.
/// An attempt ends when a gap cannot be filled. If no attempt fills all gaps, further attempts
/// continue after gaps that cannot be filled, and the result with the fewest gaps is kept. `gaps`:
/// result of gaps_of(). Returns the number of filled entries.
std::uint64_t connect(const Fabric& fabric, const Gaps& gaps, Routes& routes, unsigned threads) {
  constexpr std::uint32_t kOrders = 12;
  constexpr std::size_t kSwitches = 4;
  const Turns turns(fabric);
  LaneConnector connector(fabric, turns, routes);
  if (!connector.collect_turns(false, threads)) return 0;
  LaneConnector::Outcome best{{}, kNoLimit};
  const auto attempt = [&](std::uint32_t order, std::optional<SwitchId> first,
                           std::uint64_t missing_max) {
    if (best.missing == 0) return;
    auto outcome = connector.connect(gaps, lid_order(fabric, gaps, order), first, missing_max);
    if (outcome.missing <= missing_max && outcome.missing < best.missing) best = std::move(outcome);
  };

  const std::vector<SwitchId> switches = detour_switches(fabric, Trunks(fabric), kSwitches);
  // Order 0 adds fewer entries; with order 1 fewer gaps remain.
  for (const SwitchId sw : switches)
    for (const std::uint32_t order : {0u, 1u}) attempt(order, sw, 0);
  for (std::uint32_t order = 0; order < kOrders; ++order) attempt(order, std::nullopt, 0);
  for (const SwitchId sw : switches) attempt(1, sw, best.missing);
  attempt(1, std::nullopt, best.missing);
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
    LaneConnector connector(fabric, turns, routes);
    if (!connector.collect_turns(true, threads)) return false;
    connector.clear_other_turns();
  }
  connect(fabric, gaps_of(fabric, routes.lfts), routes, threads);
  return true;
}

}  // namespace weft
