// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/dependencies.h"

#include <algorithm>
#include <bit>
#include <string>

#include "routing/torus_2qos/paths.h"

namespace weft {
namespace {

// Lanes of one level of QoS: two for rings, and two more for packets after a forbidden turn.
constexpr unsigned kLanes = 4;
constexpr unsigned kOutputs = kTorusDimensions * 2 * kLanes;  // outputs of one place

unsigned output_of(unsigned dimension, Direction direction, unsigned lane) {
  return (dimension * 2 + direction) * kLanes + lane;
}

std::string describe_missing(const Torus& torus) {
  constexpr std::size_t kNamed = 4;
  const auto missing = torus.missing_switches();
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i)
    text += (i == 0 ? "" : ", ") + torus.grid().describe(missing[i]);
  if (missing.size() > kNamed) text += fmt::format(" and {} more places", missing.size() - kNamed);
  return text;
}

}  // namespace

TorusDependencies::TorusDependencies(const Torus& torus)
    : torus_(torus), requested_(std::size_t{torus.grid().size()} * kOutputs, 0) {}

void TorusDependencies::add(Held held, unsigned requested) {
  requested_[held.place * std::size_t{kOutputs} + held.output] |= 1u << requested;
}

bool TorusDependencies::add_all_paths(Place& from, Place& to) {
  const TorusGrid& grid = torus_.grid();
  std::vector<Paths> paths;
  paths.reserve(grid.size());
  for (Place place = 0; place < grid.size(); ++place) paths.emplace_back(torus_, place);
  for (to = 0; to < grid.size(); ++to) {
    if (!torus_.has_switch(to)) continue;
    const Coordinates there = grid.coordinates(to);
    for (from = 0; from < grid.size(); ++from) {
      if (!torus_.has_switch(from)) continue;
      const unsigned sl = paths[from].lane_bits(there);
      std::optional<Held> held;
      unsigned dimension = 0;
      Place at = from;
      for (Place hops = 0; at != to; ++hops) {
        const auto next = hops < grid.size() ? paths[at].next(to, there) : std::nullopt;
        if (!next) return false;
        const unsigned forbidden = held && dimension > next->dimension ? 1 : 0;
        const unsigned lane = (sl >> grid.configured(next->dimension) & 1) | forbidden << 1;
        const unsigned output = output_of(next->dimension, next->direction, lane);
        if (held) add(*held, output);
        held = Held{at, output};
        dimension = next->dimension;
        at = grid.neighbor(at, next->dimension, next->direction);
      }
    }
  }
  return true;
}

void TorusDependencies::add_tree(std::span<const Branch> tree) {
  // By place: the directions of its branches, toward the root and away from it.
  using Ends = std::vector<Torus::Pointing>;
  std::vector<Ends> ends(torus_.grid().size());
  for (const Branch& branch : tree) {
    const Place child = torus_.grid().neighbor(branch.parent, branch.dimension, branch.direction);
    ends[branch.parent].push_back({branch.dimension, branch.direction});
    ends[child].push_back({branch.dimension, opposite(branch.direction)});
  }
  for (Place place = 0; place < ends.size(); ++place)
    for (std::size_t in = 0; in < ends[place].size(); ++in) {
      // The channel from the neighbor at `in`: on lane 0, and on the lane after a forbidden turn if
      // packets make such a turn at that neighbor.
      const Torus::Pointing& end = ends[place][in];
      const Place before = torus_.grid().neighbor(place, end.dimension, end.direction);
      const Direction toward = opposite(end.direction);
      unsigned lanes = 1;
      for (const Torus::Pointing& other : ends[before])
        if (other.dimension > end.dimension) lanes = 2;
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (std::size_t out = 0; out < ends[place].size(); ++out) {
          if (out == in) continue;
          const Torus::Pointing& next = ends[place][out];
          const unsigned forbidden = end.dimension > next.dimension ? 1 : 0;
          add({before, output_of(end.dimension, toward, lane << 1)},
              output_of(next.dimension, next.direction, forbidden << 1));
        }
    }
}

template <class Body>
void TorusDependencies::each_requested(std::size_t held, const Body& body) const {
  if (requested_[held] == 0) return;
  const auto output = static_cast<unsigned>(held % kOutputs / kLanes);
  const Place next = torus_.grid().neighbor(static_cast<Place>(held / kOutputs), output / 2,
                                            static_cast<Direction>(output % 2));
  for (std::uint32_t rest = requested_[held]; rest != 0; rest &= rest - 1)
    body(next * std::size_t{kOutputs} + static_cast<unsigned>(std::countr_zero(rest)));
}

/// Kahn's algorithm for topological order.
bool TorusDependencies::is_acyclic() const {
  std::vector<std::uint32_t> waiting(requested_.size(), 0);
  for (std::size_t v = 0; v < requested_.size(); ++v)
    each_requested(v, [&](std::size_t next) { ++waiting[next]; });
  std::vector<std::size_t> free;
  for (std::size_t v = 0; v < requested_.size(); ++v)
    if (waiting[v] == 0) free.push_back(v);
  for (std::size_t head = 0; head < free.size(); ++head)
    each_requested(free[head], [&](std::size_t next) {
      if (--waiting[next] == 0) free.push_back(next);
    });
  return free.size() == requested_.size();
}

namespace {

Status check_order(const Torus& torus) {
  TorusDependencies dependencies(torus);
  Place from = 0, to = 0;
  if (!dependencies.add_all_paths(from, to))
    return fail(Code::kUnroutable,
                "switches are missing at {}: torus-2QoS has no path from {} to {}",
                describe_missing(torus), torus.grid().describe(from), torus.grid().describe(to));
  if (!dependencies.is_acyclic())
    return fail(Code::kUnroutable,
                "switches are missing at {}: the detours of torus-2QoS around them could "
                "deadlock",
                describe_missing(torus));
  return {};
}

}  // namespace

Status select_order(const Fabric& fabric, const TorusConfig& config, Torus& torus) {
  const auto status = check_order(torus);
  if (status) return status;
  DimensionOrder order{0, 1, 2};
  while (std::ranges::next_permutation(order).found) {
    Torus reordered = torus.reordered(fabric, TorusGrid(config, order));
    if (!check_order(reordered)) continue;
    torus = std::move(reordered);
    return {};
  }
  return status;
}

}  // namespace weft
