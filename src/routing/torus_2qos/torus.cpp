// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/torus.h"

#include <utility>

#include "base/check.h"

namespace weft {
namespace {

/// Calls body(first place) for every ring of a dimension.
template <class Body>
void for_each_ring(const TorusGrid& grid, unsigned dimension, const Body& body) {
  for (Place place = 0; place < grid.size(); ++place)
    if (grid.coordinate(place, dimension) == 0) body(place);
}

constexpr unsigned kGapsNamed = 4;

}  // namespace

Torus::Torus(const Fabric& fabric, const TorusGrid& grid, Placement placement)
    : grid_(grid), placement_(std::move(placement)) {
  const auto index_of = [&](const Channel& channel) {
    const Pointing toward = pointing(channel);
    return index(place_of(channel.from), toward.dimension, toward.direction);
  };
  begin_.assign(index(grid.size(), 0, kUp) + 1, 0);
  for (const Channel& channel : fabric.channels()) ++begin_[index_of(channel) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  ports_.resize(fabric.channel_count());
  std::vector<std::uint32_t> next(begin_);
  for (const Channel& channel : fabric.channels())
    ports_[next[index_of(channel)]++] = channel.from_port;
  find_whole_rings();
}

Torus Torus::reordered(const Fabric& fabric, const TorusGrid& grid) const {
  Placement placement{std::vector<Place>(fabric.switch_count()),
                      std::vector<SwitchId>(grid.size(), kNoSwitch)};
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    Coordinates at{};
    for (unsigned d = 0; d < kTorusDimensions; ++d)
      for (unsigned e = 0; e < kTorusDimensions; ++e)
        if (grid.configured(d) == grid_.configured(e))
          at[d] = grid_.coordinate(place_of(SwitchId(s)), e);
    placement.place_of[s] = grid.at(at);
    placement.switch_at[placement.place_of[s]] = SwitchId(s);
  }
  return {fabric, grid, std::move(placement)};
}

Torus::Pointing Torus::pointing(const Channel& channel) const {
  const Place from = place_of(channel.from);
  const Place to = place_of(channel.to);
  for (unsigned d = 0; d < kTorusDimensions; ++d)
    if (grid_.neighbor(from, d, kUp) == to) return {d, kUp};
  unsigned d = 0;
  while (d < kTorusDimensions && grid_.neighbor(from, d, kDown) != to) ++d;
  CHECK(d < kTorusDimensions);  // placement puts cabled switches on adjacent places only
  return {d, kDown};
}

void Torus::find_whole_rings() {
  whole_.assign(std::size_t{grid_.size()} * kTorusDimensions, false);
  for (unsigned d = 0; d < kTorusDimensions; ++d) {
    const unsigned radix = grid_.radix(d);
    for_each_ring(grid_, d, [&](Place first) {
      bool whole = true;
      for (unsigned i = 0; i < radix; ++i) {
        const Place place = first + i * grid_.stride(d);
        whole = whole && has_switch(place) &&
                (grid_.neighbor(place, d, kUp) == kNoPlace || is_cabled(place, d, kUp));
      }
      for (unsigned i = 0; i < radix; ++i)
        whole_[(first + i * grid_.stride(d)) * std::size_t{kTorusDimensions} + d] = whole;
    });
  }
}

std::string Torus::gap(const Fabric& fabric, Place place, Place next) const {
  for (const Place end : {place, next})
    if (!has_switch(end)) return fmt::format("no switch at {}", grid_.describe(end));
  return fmt::format("no cable from {} at {} to {} at {}", describe(fabric.node(switch_at(place))),
                     grid_.describe(place), describe(fabric.node(switch_at(next))),
                     grid_.describe(next));
}

std::vector<Place> Torus::missing_switches() const {
  std::vector<Place> result;
  for (Place place = 0; place < grid_.size(); ++place)
    if (!has_switch(place)) result.push_back(place);
  return result;
}

std::vector<std::string> Torus::missing(const Fabric& fabric) const {
  std::vector<std::string> result;
  for (const Place place : missing_switches()) result.push_back(gap(fabric, place, place));
  for (Place place = 0; place < grid_.size(); ++place)
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      const Place next = grid_.neighbor(place, d, kUp);
      if (next == kNoPlace || !has_switch(place) || !has_switch(next)) continue;
      if (!is_cabled(place, d, kUp)) result.push_back(gap(fabric, place, next));
    }
  return result;
}

Status Torus::check_rings(const Fabric& fabric) const {
  Status status;
  for (unsigned d = 0; d < kTorusDimensions; ++d)
    for_each_ring(grid_, d, [&](Place first) {
      if (!status || is_whole(first, d)) return;
      // The present part of an incomplete ring consists of lines: as many as there are switches
      // without a link upward.
      unsigned lines = 0;
      unsigned gaps = 0;
      std::string named;
      for (unsigned i = 0; i < grid_.radix(d); ++i) {
        const Place place = first + i * grid_.stride(d);
        const bool cabled = is_cabled(place, d, kUp);
        if (has_switch(place) && !cabled) ++lines;
        const Place next = grid_.neighbor(place, d, kUp);
        if (cabled || next == kNoPlace || (!has_switch(next) && has_switch(place))) continue;
        if (gaps++ < kGapsNamed)
          named += fmt::format("{}{}", named.empty() ? "" : ", ", gap(fabric, place, next));
      }
      if (lines > 1)
        status =
            fail(Code::kUnroutable, "the {} through {} in {} is partitioned: {}",
                 grid_.is_line(d) ? "line" : "ring", grid_.describe(first), grid_.name(d), named);
    });
  return status;
}

}  // namespace weft
