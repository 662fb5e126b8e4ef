// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/hyperx.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::uint32_t kUnseen = 0xFFFFFFFF;

std::uint32_t switches_of(const Trunks& trunks) {
  return static_cast<std::uint32_t>(trunks.begin.size()) - 1;
}

std::span<const std::uint32_t> neighbors(const Trunks& trunks, std::uint32_t sw) {
  return std::span(trunks.head).subspan(trunks.begin[sw], trunks.degree(sw));
}

/// The neighbors of switch 0 by dimension. Neighbors in one dimension are also cabled to each
/// other.
std::vector<std::vector<std::uint32_t>> lines_through_first(const Trunks& trunks) {
  std::vector<std::vector<std::uint32_t>> lines;
  for (const std::uint32_t sw : neighbors(trunks, 0)) {
    const auto line = std::ranges::find_if(lines, [&](const std::vector<std::uint32_t>& members) {
      return std::ranges::binary_search(neighbors(trunks, members.front()), sw);
    });
    if (line == lines.end()) {
      lines.push_back({sw});
    } else {
      line->push_back(sw);
    }
  }
  return lines;
}

/// Sets the places of all switches, provided that the fabric is a HyperX with these lines. A switch
/// at two or more hops from switch 0 has each of its coordinates in common with a neighbor that is
/// nearer to switch 0.
void place_switches(const Trunks& trunks, const std::vector<std::vector<std::uint32_t>>& lines,
                    Hyperx& hyperx) {
  const std::uint32_t switches = switches_of(trunks);
  std::vector<std::uint32_t> hops(switches, kUnseen);
  hyperx.dimensions = lines.size();
  hyperx.place.assign(switches * lines.size(), 0);
  std::vector<std::uint32_t> queue{0};
  hops[0] = 0;
  for (std::size_t d = 0; d < lines.size(); ++d)
    for (std::size_t i = 0; i < lines[d].size(); ++i)
      hyperx.place[lines[d][i] * lines.size() + d] = static_cast<std::uint32_t>(i) + 1;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t sw = queue[next];
    for (const std::uint32_t to : neighbors(trunks, sw)) {
      if (hops[to] == kUnseen) {
        hops[to] = hops[sw] + 1;
        queue.push_back(to);
      }
      if (hops[to] == hops[sw] + 1 && hops[to] > 1)
        for (std::size_t d = 0; d < lines.size(); ++d)
          hyperx.place[to * lines.size() + d] =
              std::max(hyperx.place[to * lines.size() + d], hyperx.at(sw, d));
    }
  }
}

/// Whether every place has one switch, and every cable is between switches of one line. Then no
/// cable is missing, since each switch has as many neighbors as its lines have other places.
bool is_hyperx(const Trunks& trunks, const std::vector<std::vector<std::uint32_t>>& lines,
               const Hyperx& hyperx) {
  const std::uint32_t switches = switches_of(trunks);
  std::vector<bool> taken(switches, false);
  for (std::uint32_t sw = 0; sw < switches; ++sw) {
    std::size_t number = 0;
    for (std::size_t d = 0; d < lines.size(); ++d)
      number = number * (lines[d].size() + 1) + hyperx.at(sw, d);
    if (taken[number]) return false;
    taken[number] = true;
    for (const std::uint32_t to : neighbors(trunks, sw))
      if (hyperx.hops(sw, to) != 1) return false;
  }
  return true;
}

}  // namespace

std::size_t Hyperx::first_between(std::uint32_t one, std::uint32_t other) const {
  std::size_t dimension = 0;
  while (at(one, dimension) == at(other, dimension)) ++dimension;
  return dimension;
}

std::size_t Hyperx::hops(std::uint32_t one, std::uint32_t other) const {
  std::size_t different = 0;
  for (std::size_t d = 0; d < dimensions; ++d) different += at(one, d) != at(other, d) ? 1 : 0;
  return different;
}

std::optional<Hyperx> find_hyperx(const Trunks& trunks) {
  const std::uint32_t switches = switches_of(trunks);
  if (switches < 2 || trunks.degree(0) == 0) return std::nullopt;
  for (std::uint32_t sw = 1; sw < switches; ++sw)
    if (trunks.degree(sw) != trunks.degree(0)) return std::nullopt;
  const auto lines = lines_through_first(trunks);
  std::uint64_t product = 1;
  for (const auto& line : lines) {
    product *= line.size() + 1;
    if (product > switches) return std::nullopt;
  }
  if (product != switches) return std::nullopt;
  Hyperx hyperx;
  place_switches(trunks, lines, hyperx);
  if (!is_hyperx(trunks, lines, hyperx)) return std::nullopt;
  return hyperx;
}

void make_dimension_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                        const Hyperx& hyperx, SwitchId destination, HopDag& dag) {
  const std::uint32_t to = destination.value();
  dag.start(destination);
  for (std::uint32_t sw = 0; sw < fabric.switch_count(); ++sw) {
    if (sw == to) continue;
    const std::size_t d = hyperx.first_between(sw, to);
    const std::uint32_t begin = fabric.first_channel(SwitchId(sw)).value();
    const std::uint32_t end = fabric.first_channel(SwitchId(sw + 1)).value();
    dag.add_switch(sw, static_cast<std::uint32_t>(hyperx.hops(sw, to)));
    for (std::uint32_t channel = begin; channel < end; ++channel)
      if (hyperx.at(heads[channel], d) == hyperx.at(to, d) &&
          hyperx.first_between(sw, heads[channel]) == d)
        dag.add_next_hop(channel, heads[channel]);
  }
  dag.finish();
}

}  // namespace weft
