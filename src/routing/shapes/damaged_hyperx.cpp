// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/damaged_hyperx.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace weft {
namespace {

constexpr std::uint64_t kStepsMost = 20'000'000;
constexpr std::size_t kDimensionsMost = 16;
constexpr std::uint32_t kUnplaced = 0xFFFFFFFF;

/// Disjoint sets of trunks. Both directions of a trunk are in one set.
class TrunkSets {
 public:
  explicit TrunkSets(const Trunks& trunks) : parent_(trunks.count()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (std::uint32_t t = 0; t < trunks.count(); ++t) join(t, trunks.reverse[t]);
  }
  std::uint32_t of(std::uint32_t trunk) {
    while (parent_[trunk] != trunk) trunk = parent_[trunk] = parent_[parent_[trunk]];
    return trunk;
  }
  void join(std::uint32_t one, std::uint32_t other) { parent_[of(one)] = of(other); }

 private:
  std::vector<std::uint32_t> parent_;
};

class DamagedHyperx {
 public:
  explicit DamagedHyperx(const Trunks& trunks)
      : trunks_(trunks),
        switches_(static_cast<std::uint32_t>(trunks.begin.size()) - 1),
        over_(switches_, kUnplaced),
        corners_(switches_) {}

  std::optional<Hyperx> find() {
    std::uint64_t steps = 0;
    for (std::uint32_t sw = 0; sw < switches_; ++sw)
      for (std::uint32_t t = trunks_.begin[sw]; t < trunks_.begin[sw + 1]; ++t)
        steps += trunks_.degree(trunks_.head[t]);
    if (switches_ < 4 || steps > kStepsMost || !number_dimensions()) return std::nullopt;
    Hyperx hyperx;
    hyperx.dimensions = dimensions_;
    hyperx.place.assign(switches_ * dimensions_, kUnplaced);
    for (std::size_t d = 0; d < dimensions_; ++d) place_along(d, hyperx);
    if (!is_filled(hyperx) || !is_valid(hyperx)) return std::nullopt;
    return hyperx;
  }

 private:
  /// A switch two hops from the current switch.
  struct Corner {
    std::uint32_t paths = 0;
    std::array<std::uint32_t, 2> last{};  // last trunks of the first two paths
  };

  /// Assigns a dimension to each trunk. Returns false if there are fewer than two or more than
  /// kDimensionsMost dimensions.
  bool number_dimensions() {
    TrunkSets sets(trunks_);
    for (std::uint32_t sw = 0; sw < switches_; ++sw) join_around(sw, sets);
    std::map<std::uint32_t, std::size_t> number;
    dimension_.resize(trunks_.count());
    for (std::uint32_t t = 0; t < trunks_.count(); ++t) {
      dimension_[t] = number.try_emplace(sets.of(t), number.size()).first->second;
      if (number.size() > kDimensionsMost) return false;
    }
    dimensions_ = number.size();
    return dimensions_ > 1;
  }

  /// Joins the trunks of triangles with this switch, and opposite trunks of its squares.
  void join_around(std::uint32_t sw, TrunkSets& sets) {
    const std::uint32_t begin = trunks_.begin[sw];
    const std::uint32_t end = trunks_.begin[sw + 1];
    for (std::uint32_t t = begin; t < end; ++t) over_[trunks_.head[t]] = t;
    found_.clear();
    for (std::uint32_t t = begin; t < end; ++t)
      for (std::uint32_t u = trunks_.begin[trunks_.head[t]]; u < trunks_.begin[trunks_.head[t] + 1];
           ++u) {
        const std::uint32_t to = trunks_.head[u];
        if (to == sw) continue;
        if (over_[to] != kUnplaced) {
          sets.join(t, u);
          sets.join(t, over_[to]);
          continue;
        }
        Corner& corner = corners_[to];
        if (corner.paths == 0) found_.push_back(to);
        if (corner.paths < 2) corner.last[corner.paths] = u;
        ++corner.paths;
      }
    for (const std::uint32_t to : found_) {
      const Corner corner = std::exchange(corners_[to], {});
      if (corner.paths != 2) continue;
      sets.join(over_[trunks_.tail[corner.last[0]]], corner.last[1]);
      sets.join(over_[trunks_.tail[corner.last[1]]], corner.last[0]);
    }
    for (std::uint32_t t = begin; t < end; ++t) over_[trunks_.head[t]] = kUnplaced;
  }

  /// Assigns one place to all switches that cables of other dimensions connect.
  void place_along(std::size_t d, Hyperx& hyperx) const {
    std::uint32_t next = 0;
    const auto place = [&](std::uint32_t sw) -> std::uint32_t& {
      return hyperx.place[sw * dimensions_ + d];
    };
    for (std::uint32_t first = 0; first < switches_; ++first) {
      if (place(first) != kUnplaced) continue;
      std::vector<std::uint32_t> queue{first};
      place(first) = next;
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (std::uint32_t t = trunks_.begin[queue[i]]; t < trunks_.begin[queue[i] + 1]; ++t) {
          if (dimension_[t] == d || place(trunks_.head[t]) != kUnplaced) continue;
          place(trunks_.head[t]) = next;
          queue.push_back(trunks_.head[t]);
        }
      ++next;
    }
  }

  /// True if at least three quarters of the places have a switch. A mesh is a part of a large
  /// hypercube too, but has a switch at few of its places.
  bool is_filled(const Hyperx& hyperx) const {
    std::uint64_t places = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::uint32_t last = 0;
      for (std::uint32_t sw = 0; sw < switches_; ++sw) last = std::max(last, hyperx.at(sw, d));
      places *= last + 1;
      if (4 * std::uint64_t{switches_} < 3 * places) return false;
    }
    return true;
  }

  /// True if all switches have different places, each cable is along one dimension, and at most a
  /// fifth of the trunks is missing.
  bool is_valid(const Hyperx& hyperx) const {
    std::set<std::vector<std::uint32_t>> places;
    std::uint64_t full = 0;  // trunks of complete lines through the present switches
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::map<std::vector<std::uint32_t>, std::uint64_t> lines;
      for (std::uint32_t sw = 0; sw < switches_; ++sw) {
        auto line = place_of(hyperx, sw);
        line[d] = kUnplaced;
        full += 2 * lines[line]++;
      }
    }
    for (std::uint32_t sw = 0; sw < switches_; ++sw)
      if (!places.insert(place_of(hyperx, sw)).second) return false;
    for (std::uint32_t t = 0; t < trunks_.count(); ++t)
      if (hyperx.hops(trunks_.tail[t], trunks_.head[t]) != 1) return false;
    return std::uint64_t{trunks_.count()} * 5 >= full * 4;
  }

  std::vector<std::uint32_t> place_of(const Hyperx& hyperx, std::uint32_t sw) const {
    const auto begin =
        hyperx.place.begin() + static_cast<std::ptrdiff_t>(sw * std::size_t{dimensions_});
    return {begin, begin + static_cast<std::ptrdiff_t>(dimensions_)};
  }

  const Trunks& trunks_;
  const std::uint32_t switches_;
  std::vector<std::size_t> dimension_;  // by trunk
  std::size_t dimensions_ = 0;
  std::vector<std::uint32_t> over_;   // by neighbor of the current switch: the trunk to it
  std::vector<Corner> corners_;       // by switch, for the squares of one switch
  std::vector<std::uint32_t> found_;  // switches in corners_, in the order in which they are found
};

}  // namespace

std::optional<Hyperx> find_damaged_hyperx(const Trunks& trunks) {
  if (trunks.count() == 0) return std::nullopt;
  return DamagedHyperx(trunks).find();
}

}  // namespace weft
