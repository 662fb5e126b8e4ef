// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/dimension_blocks.h"

#include <algorithm>

#include "fabric/without.h"
#include "ib/ids.h"
#include "routing/adaptive/ar_minhop.h"

namespace weft {
namespace {

/// Returns the switches that have the coordinates of switch 0 in all dimensions outside the block,
/// with their cables.
Fabric section_of(const Fabric& fabric, const Coordinates& coordinates,
                  const DimensionBlock& block) {
  std::vector<NodeId> others;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (std::size_t d = 0; d < coordinates.sizes.size(); ++d)
      if ((d < block.first || d >= block.end) && coordinates.at(s, d) != coordinates.at(0, d)) {
        others.push_back(Fabric::node_of(SwitchId(s)));
        break;
      }
  return without(fabric, others, {});
}

/// Assigns lane 0 to pairs with equal directions in both dimensions, and lane 1 to pairs with
/// opposite directions. Pairs that differ in one dimension could use both lanes and have lane 0.
void assign_by_direction(const Coordinates& coordinates, DimensionBlock& block) {
  if (block.end - block.first < 2) return;
  const std::uint32_t width = coordinates.sizes[block.first + 1];
  block.lanes = 2;
  for (std::uint32_t one = 0; one < block.positions; ++one)
    for (std::uint32_t other = 0; other < block.positions; ++other) {
      const bool differ = one / width != other / width && one % width != other % width;
      block.lane.push_back(
          differ && (one / width < other / width) != (one % width < other % width) ? 1 : 0);
    }
}

/// Computes the lanes for the switches of section_of(), and assigns them by position to all
/// switches. Every switch must have hosts, because lanes are computed for pairs of switches with
/// hosts. Returns false if there are too few lanes.
bool assign_by_layers(const Fabric& fabric, const Coordinates& coordinates, unsigned lanes_max,
                      DimensionBlock& block) {
  const Fabric section = section_of(fabric, coordinates, block);
  ArMinhopOptions options;
  options.threads = 1;
  options.vls_max = lanes_max;
  MinhopChoices choices(section, options);
  const ChoiceDags all = choices.dags();
  const auto lanes = assign_choice_lanes(section, options, "kdor", Lfts(), choices);
  if (!lanes) return false;
  std::vector<std::uint32_t> position;
  for (std::uint32_t s = 0; s < section.switch_count(); ++s) {
    const NodeId node = *fabric.find_node(section.node(SwitchId(s)).node_guid);
    position.push_back(block.position(coordinates, node.value()));
  }
  block.lanes = lanes->count;
  block.lane.resize(std::size_t{block.positions} * block.positions);
  for (std::uint32_t a = 0; a < section.switch_count(); ++a)
    for (std::uint32_t b = 0; b < section.switch_count(); ++b) {
      block.lane[std::size_t{position[a]} * block.positions + position[b]] =
          lanes->of_pair[std::size_t{a} * section.switch_count() + b];
      all.each(a, b, [&](std::uint32_t trunk) {
        if (!choices.dags().has(b, trunk))
          block.left_out.push_back(
              block.key(position[a], position[choices.trunks().head[trunk]], position[b]));
        return true;
      });
    }
  std::ranges::sort(block.left_out);
  return true;
}

}  // namespace

Coordinates coordinates_of(const Grid& grid) {
  Coordinates found{{}, {}, grid.place};
  for (const Grid::Line& line : grid.dimensions) {
    found.sizes.push_back(line.size);
    found.closed.push_back(line.closed);
  }
  return found;
}

Coordinates coordinates_of(const Hyperx& hyperx) {
  Coordinates found{std::vector<std::uint32_t>(hyperx.dimensions, 0),
                    std::vector<bool>(hyperx.dimensions, false), hyperx.place};
  for (std::size_t i = 0; i < hyperx.place.size(); ++i) {
    std::uint32_t& size = found.sizes[i % hyperx.dimensions];
    size = std::max(size, hyperx.place[i] + 1);
  }
  return found;
}

std::uint32_t DimensionBlock::position(const Coordinates& coordinates, std::uint32_t sw) const {
  std::uint32_t number = 0;
  for (std::size_t d = first; d < end; ++d)
    number = number * coordinates.sizes[d] + coordinates.at(sw, d);
  return number;
}

std::optional<std::vector<DimensionBlock>> make_blocks(const Fabric& fabric,
                                                       const Coordinates& coordinates,
                                                       unsigned lanes_max) {
  std::vector<DimensionBlock> blocks;
  unsigned combinations = 1;
  bool have_hosts = true;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    have_hosts = have_hosts && !fabric.endports_at(SwitchId(s)).empty();
  for (std::size_t d = 0; d < coordinates.sizes.size(); d += 2) {
    DimensionBlock block;
    block.first = d;
    block.end = std::min(d + 2, coordinates.sizes.size());
    bool closed = false;
    for (std::size_t i = block.first; i < block.end; ++i) {
      block.positions *= coordinates.sizes[i];
      closed = closed || coordinates.closed[i];
    }
    if (closed) {
      if (!have_hosts) return std::nullopt;
      if (!assign_by_layers(fabric, coordinates, lanes_max, block)) return std::nullopt;
      if (combinations * block.lanes > kSlCount) return std::nullopt;
    } else if (combinations * 2 <= kSlCount && lanes_max > 1) {
      assign_by_direction(coordinates, block);
    } else {
      block.adaptive = false;
    }
    combinations *= block.lanes;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace weft
