// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/placement.h"

#include <algorithm>
#include <optional>

namespace weft {
namespace {

using Places = std::vector<Place>;  // sorted

std::string name(const Fabric& fabric, SwitchId sw) { return describe(fabric.node(sw)); }

/// Places all switches, beginning with one seed.
class Placer {
 public:
  Placer(const Fabric& fabric, const TorusGrid& grid)
      : fabric_(fabric), grid_(grid), candidates_(fabric.switch_count()) {
    result_.place_of.assign(fabric.switch_count(), kNoPlace);
    result_.switch_at.assign(grid.size(), kNoSwitch);
    queued_.assign(fabric.switch_count(), false);
    neighbors_.resize(fabric.switch_count());
    for (const Channel& channel : fabric.channels()) {
      auto& list = neighbors_[channel.from.value()];
      if (std::ranges::find(list, channel.to) == list.end()) list.push_back(channel.to);
    }
    adjacent_.reserve(grid.size());
    for (Place place = 0; place < grid.size(); ++place) {
      adjacent_.push_back(grid.neighbors(place));
      std::ranges::sort(adjacent_.back());
    }
  }

  Result<Placement> run(const TorusSeed& seed) {
    if (const auto status = place_seed(seed); !status) return forward(status);
    do {
      if (const auto status = conclude(); !status) return forward(status);
    } while (guess());
    if (!error_.message.empty()) return tl::unexpected(error_);
    if (const auto status = check_all_placed(); !status) return forward(status);
    return std::move(result_);
  }

 private:
  bool is_placed(SwitchId sw) const { return result_.place_of[sw.value()] != kNoPlace; }
  Place place_of(SwitchId sw) const { return result_.place_of[sw.value()]; }
  bool is_free(Place place) const { return result_.switch_at[place] == kNoSwitch; }
  bool are_adjacent(Place a, Place b) const { return std::ranges::binary_search(adjacent_[a], b); }

  /// Places the switch of the seed, at the coordinates given by the datelines, and its neighbors
  /// that are present.
  Status place_seed(const TorusSeed& seed) {
    const auto find = [&](Guid guid) -> std::optional<SwitchId> {
      const auto node = guid == Guid() ? std::nullopt : fabric_.find_node(guid);
      if (!node || !fabric_.is_switch(*node)) return std::nullopt;
      return SwitchId(node->value());
    };
    const auto origin = find(seed.origin);
    if (!origin)
      return fail(Code::kUnroutable, "switch 0x{:016x} is not in the fabric", seed.origin.value());
    Coordinates at{};
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      const auto radix = static_cast<std::int64_t>(grid_.radix(d));
      at[d] = static_cast<unsigned>((-std::int64_t{seed.dateline[d]} % radix + radix) % radix);
    }
    if (auto status = put(*origin, grid_.at(at)); !status) return status;
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      for (const Direction direction : {kUp, kDown}) {
        const Guid guid = (direction == kUp ? seed.plus : seed.minus)[d];
        const auto sw = find(guid);
        if (!sw || is_placed(*sw)) continue;
        Place place = grid_.neighbor(grid_.at(at), d, direction);
        if (place == kNoPlace &&
            !grid_.is_mesh(d))  // a ring of two, where both directions lead to the other place
          place = grid_.neighbor(grid_.at(at), d, opposite(direction));
        if (place == kNoPlace)
          return fail(Code::kUnroutable,
                      "switch 0x{:016x} would be beyond the end of the mesh: its "
                      "neighbor {} is at {}; move the seed by {}_dateline",
                      guid.value(), name(fabric_, *origin), grid_.describe(grid_.at(at)),
                      kDimensionNames[d]);
        if (auto status = put(*sw, place); !status) return status;
      }
      if (grid_.radix(d) > 1 && !find(seed.plus[d]) && !find(seed.minus[d]))
        return fail(Code::kUnroutable, "switch 0x{:016x} is not in the fabric",
                    (seed.plus[d] != Guid() ? seed.plus : seed.minus)[d].value());
    }
    return {};
  }

  Status put(SwitchId sw, Place place) {
    if (!is_free(place))
      return fail(Code::kUnroutable, "both {} and {} would be at {}",
                  name(fabric_, result_.switch_at[place]), name(fabric_, sw),
                  grid_.describe(place));
    for (const SwitchId other : neighbors_[sw.value()])
      if (is_placed(other) && !are_adjacent(place, place_of(other)))
        return misplaced_cable(sw, place, other);
    result_.place_of[sw.value()] = place;
    result_.switch_at[place] = sw;
    candidates_[sw.value()].reset();
    for (const SwitchId other : neighbors_[sw.value()])
      if (!is_placed(other)) narrow(other, adjacent_[place]);
    // Removes the place from the candidate places of other switches. Every switch with this
    // candidate has a neighbor next to the place.
    for (const Place near : adjacent_[place]) {
      if (is_free(near)) continue;
      for (const SwitchId other : neighbors_[result_.switch_at[near].value()])
        if (auto& candidates = candidates_[other.value()];
            candidates && std::erase(*candidates, place) > 0)
          changed(other);
    }
    return {};
  }

  Status misplaced_cable(SwitchId a, Place place, SwitchId b) const {
    const auto channels = fabric_.channels_from(a);
    const auto cable = std::ranges::find(channels, b, &Channel::to);
    return fail(Code::kUnroutable,
                "the cable from {} port {} to {} port {} does not fit: it would join {} and {}",
                name(fabric_, a), cable->from_port.value(), name(fabric_, b),
                cable->to_port.value(), grid_.describe(place), grid_.describe(place_of(b)));
  }

  /// Restricts the candidate places of a switch to `around`, the places adjacent to the place of a
  /// neighbor.
  void narrow(SwitchId sw, const Places& around) {
    auto& candidates = candidates_[sw.value()];
    if (!candidates) {
      candidates.emplace();
      std::ranges::copy_if(around, std::back_inserter(*candidates),
                           [&](Place p) { return is_free(p); });
      changed(sw);
    } else if (std::erase_if(*candidates,
                             [&](Place p) { return !std::ranges::binary_search(around, p); }) > 0) {
      changed(sw);
    }
  }

  /// Queues a switch that has fewer candidate places, and its neighbors, for another check.
  void changed(SwitchId sw) {
    push(sw);
    for (const SwitchId other : neighbors_[sw.value()])
      if (candidates_[other.value()]) push(other);
  }
  void push(SwitchId sw) {
    if (queued_[sw.value()]) return;
    queued_[sw.value()] = true;
    queue_.push_back(sw);
  }

  Status conclude() {
    for (; next_ < queue_.size(); ++next_) {
      const SwitchId sw = queue_[next_];
      queued_[sw.value()] = false;
      auto& candidates = candidates_[sw.value()];
      if (!candidates) continue;
      for (const SwitchId other : neighbors_[sw.value()]) {
        const auto& others = candidates_[other.value()];
        if (!others) continue;
        const auto alone = [&](Place p) {
          return std::ranges::none_of(*others, [&](Place q) { return are_adjacent(p, q); });
        };
        if (std::erase_if(*candidates, alone) > 0) changed(sw);
      }
      if (candidates->empty()) return no_room(sw);
      if (candidates->size() > 1) continue;
      if (auto status = put(sw, candidates->front()); !status) return status;
    }
    return {};
  }

  Status no_room(SwitchId sw) const {
    std::string where;
    for (const SwitchId other : neighbors_[sw.value()])
      if (is_placed(other))
        where += fmt::format("{}{} at {}", where.empty() ? "" : ", ", name(fabric_, other),
                             grid_.describe(place_of(other)));
    return fail(Code::kUnroutable, "no place for {} next to its neighbors: {}", name(fabric_, sw),
                where);
  }

  /// Number of cables that would be missing if the switch were at the place.
  unsigned missing(SwitchId sw, Place place) const {
    unsigned count = 0;
    for (const Place near : adjacent_[place])
      if (!is_free(near) &&
          std::ranges::count(neighbors_[sw.value()], result_.switch_at[near]) == 0)
        ++count;
    return count;
  }

  /// Places the switch with the greatest difference in missing cables between its best and its
  /// second best place. Returns false if no such difference exists, or if the switch does not fit;
  /// then `error_` is set.
  bool guess() {
    std::optional<SwitchId> best;
    Place best_place = kNoPlace;
    unsigned best_margin = 0;
    for (std::uint32_t s = 0; s < candidates_.size(); ++s) {
      if (!candidates_[s]) continue;
      const SwitchId sw(s);
      std::vector<std::pair<unsigned, Place>> choices;
      for (const Place place : *candidates_[s]) choices.emplace_back(missing(sw, place), place);
      std::ranges::sort(choices);
      const unsigned margin = choices[1].first - choices[0].first;
      if (margin <= best_margin) continue;
      best = sw;
      best_place = choices[0].second;
      best_margin = margin;
    }
    if (!best) return false;
    if (auto status = put(*best, best_place); !status) {
      error_ = std::move(status.error());
      return false;
    }
    return true;
  }

  Status check_all_placed() const {
    for (std::uint32_t s = 0; s < candidates_.size(); ++s) {
      if (!candidates_[s]) continue;
      std::string places;
      for (const Place place : *candidates_[s])
        places += (places.empty() ? "" : " or ") + grid_.describe(place);
      return fail(Code::kUnroutable, "{} may be at {}: too few cables to determine the place",
                  name(fabric_, SwitchId(s)), places);
    }
    for (std::uint32_t s = 0; s < candidates_.size(); ++s)
      if (!is_placed(SwitchId(s)))
        return fail(Code::kUnroutable, "{} is not connected to the switches of the seed",
                    name(fabric_, SwitchId(s)));
    return {};
  }

  const Fabric& fabric_;
  const TorusGrid& grid_;
  Placement result_;
  std::vector<std::vector<SwitchId>> neighbors_;  // by switch, each once
  std::vector<Places> adjacent_;                  // by place
  // Candidate places of switches that are not placed but have placed neighbors.
  std::vector<std::optional<Places>> candidates_;
  std::vector<SwitchId> queue_;
  std::size_t next_ = 0;
  std::vector<bool> queued_;
  Error error_;  // error after a place was guessed
};

}  // namespace

Result<Placement> place_switches(const Fabric& fabric, const TorusConfig& config,
                                 const TorusGrid& grid) {
  std::string reasons;
  for (const TorusSeed& seed : config.seeds) {
    auto placement = Placer(fabric, grid).run(seed);
    if (placement) return placement;
    reasons += fmt::format("{}{}:{}: {}", reasons.empty() ? "" : "; ", config.path, seed.line,
                           placement.error().message);
  }
  return fail(Code::kUnroutable, "the fabric is not a {}: {}", grid.shape(), reasons);
}

}  // namespace weft
