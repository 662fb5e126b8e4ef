#include "routing/shared/switch_reach.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "routing/shared/acyclic_turns.h"
#include "routing/shared/destinations.h"

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

class Connector {
 public:
  Connector(const Fabric& fabric, Routes& routes)
      : fabric_(fabric), routes_(routes), turns_(fabric), level_(fabric.switch_count()) {}

  /// False where the turns have a cycle: those of all packets, or only of packets between CAs.
  bool begin(bool only_cas) {
    TurnSet held(turns_);
    each_lid([&](const Endport& to, Lid lid) {
      each_turn(to, lid, only_cas ? Sources::kCas : Sources::kAll,
                [&](std::uint32_t in, std::uint32_t out) { held.add(in, out); });
    });
    if (!held.acyclic()) return false;
    graph_.emplace(turns_, held);
    detours_at_.assign(fabric_.switch_count(), 0);
    used_.assign(fabric_.channel_count(), 0);
    return true;
  }

  /// After begin(true): adds the turns of packets to and from port 0 of switches, and clears the
  /// entries that only these use where one of their turns would close a cycle.
  void clear_what_closes_cycles() {
    each_lid([&](const Endport& to, Lid lid) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
      bool free = true;
      each_turn(to, lid, Sources::kAll, [&](std::uint32_t in, std::uint32_t out) {
        if (!free || graph_->has(in, out)) return;
        free = graph_->add(in, out);
        if (free) added.emplace_back(in, out);
      });
      if (free) return;
      for (const auto& [in, out] : added) graph_->remove(in, out);
      clear(to, lid);
    });
  }

  std::uint64_t connect() {
    std::uint64_t filled = 0;
    each_lid([&](const Endport& to, Lid lid) { filled += fill(to, lid); });
    return filled;
  }

  /// Goes along the rows of the tables, because nearly all fabrics have none.
  bool has_gaps() const {
    std::vector<std::uint8_t> of_cas(std::size_t{fabric_.lid_top().value()} + 1, 0);
    std::vector<std::uint8_t> of_all = of_cas;
    each_lid([&](const Endport& to, Lid lid) {
      of_all[lid.value()] = 1;
      of_cas[lid.value()] = fabric_.is_switch(to.node) ? 0 : 1;
    });
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const auto& wanted = fabric_.endports_at(SwitchId(s)).empty() ? of_cas : of_all;
      const auto row = routes_.lfts.row(SwitchId(s));
      unsigned found = 0;
      for (std::size_t lid = 0; lid < std::min(row.size(), wanted.size()); ++lid)
        found |= wanted[lid] & static_cast<unsigned>(row[lid] == kNoRoute.value());
      if (found != 0) return true;
    }
    return false;
  }

 private:
  template <class Body>
  void each_lid(const Body& body) const {
    for (const Endport& to : fabric_.endports())
      if (to.addressed())
        for (unsigned offset = 0; offset < lid_count(to); ++offset) body(to, lid_at(to, offset));
  }
  bool is_gap(const Endport& to, Lid lid, std::uint32_t s) const {
    return s != to.sw.value() && routes_.lfts.port(SwitchId(s), lid) == kNoRoute;
  }
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

  void clear(const Endport& to, Lid lid) {
    const auto of_cas = walk(to, lid, Sources::kCas, [](std::uint32_t) {});
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (of_cas[s] || s == to.sw.value()) continue;
      routes_.lfts.set(SwitchId(s), lid, kNoRoute);
      if (routes_.adaptive && routes_.adaptive->is_set(SwitchId(s)))
        routes_.adaptive->set(SwitchId(s), lid, {});
    }
  }

  /// By switch the hops to the LID; kUnreached where packets do not arrive.
  void find_levels(const Endport& to, Lid lid) {
    std::ranges::fill(level_, kUnreached);
    level_[to.sw.value()] = 0;
    std::vector<std::uint32_t> queue{to.sw.value()};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const Channel& channel : fabric_.channels_from(SwitchId(queue[head]))) {
        const std::uint32_t from = channel.to.value();
        if (level_[from] != kUnreached) continue;
        const ChannelId out = fabric_.channel_at(channel.to, routes_.lfts.port(channel.to, lid));
        if (out == kNoChannel || fabric_.channel(out).to.value() != queue[head]) continue;
        level_[from] = level_[queue[head]] + 1;
        queue.push_back(from);
      }
    }
  }

  std::uint64_t fill(const Endport& to, Lid lid) {
    std::vector<std::uint32_t> wanted, others;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (is_gap(to, lid, s)) (is_wanted(to, s) ? wanted : others).push_back(s);
    if (wanted.empty()) return 0;
    find_levels(to, lid);
    std::uint64_t filled = 0;
    while (true) {
      if (const std::uint64_t more = fill_ring(lid, wanted); more > 0) {
        filled += more;
      } else {
        // Over switches that need no path themselves, where there is no other.
        const std::uint64_t over = wanted.empty() ? 0 : fill_ring(lid, others);
        if (over == 0) return filled;
        filled += over;
      }
    }
  }

  /// Joins what it can to the switches that were reached before; takes it out of the gaps.
  std::uint64_t fill_ring(Lid lid, std::vector<std::uint32_t>& gaps) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;  // switch and level
    std::erase_if(gaps, [&](std::uint32_t s) {
      const auto level = join(lid, s);
      if (level) joined.emplace_back(s, *level);
      return level.has_value();
    });
    for (const auto& [s, level] : joined) level_[s] = level;
    return joined.size();
  }

  struct Candidate {
    std::uint32_t channel;
    std::uint32_t at;
    unsigned new_turns;
  };

  /// The best hop that closes no cycle: one without new turns, else one at a switch that has many
  /// already, so that they stay together; then the shortest path, then the least used cable.
  std::optional<std::uint32_t> join(Lid lid, std::uint32_t s) {
    std::vector<Candidate> candidates;
    const std::uint32_t first = fabric_.first_channel(SwitchId(s)).value();
    const auto channels = fabric_.channels_from(SwitchId(s));
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      const std::uint32_t at = channels[i].to.value();
      if (level_[at] == kUnreached) continue;
      Candidate candidate{first + i, at, 0};
      each_next(fabric_, routes_, at, lid, [&](std::uint32_t out) {
        if (!graph_->has(first + i, out)) ++candidate.new_turns;
      });
      candidates.push_back(candidate);
    }
    std::ranges::sort(candidates, {}, [&](const Candidate& c) {
      const std::uint32_t together = c.new_turns == 0 ? 0 : ~detours_at_[c.at];
      return std::tuple(c.new_turns > 0, together, level_[c.at], used_[c.channel], c.channel);
    });
    for (const Candidate& candidate : candidates) {
      if (!take(lid, candidate)) continue;
      const Channel& channel = fabric_.channel(ChannelId(candidate.channel));
      routes_.lfts.set(SwitchId(s), lid, channel.from_port);
      ++used_[candidate.channel];
      return level_[candidate.at] + 1;
    }
    return std::nullopt;
  }

  bool take(Lid lid, const Candidate& candidate) {
    std::vector<std::uint32_t> added;
    bool free = true;
    each_next(fabric_, routes_, candidate.at, lid, [&](std::uint32_t out) {
      if (!free || graph_->has(candidate.channel, out)) return;
      free = graph_->add(candidate.channel, out);
      if (free) added.push_back(out);
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
  const Turns turns_;
  std::optional<AcyclicTurns> graph_;
  std::vector<std::uint32_t> level_;       // by switch
  std::vector<std::uint32_t> detours_at_;  // by switch: turns added there
  std::vector<std::uint32_t> used_;        // by channel: entries filled
};

}  // namespace

std::uint64_t connect_switches(const Fabric& fabric, Routes& routes) {
  Connector connector(fabric, routes);
  if (!connector.has_gaps() || !connector.begin(false)) return 0;
  return connector.connect();
}

bool reconnect_switches(const Fabric& fabric, Routes& routes) {
  Connector connector(fabric, routes);
  if (!connector.begin(true)) return false;
  connector.clear_what_closes_cycles();
  connector.connect();
  return true;
}

}  // namespace weft
