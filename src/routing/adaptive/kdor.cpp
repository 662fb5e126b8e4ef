// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/kdor.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "routing/adaptive/dimension_blocks.h"
#include "routing/adaptive/engines.h"
#include "routing/adaptive/minhop_choices.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/mesh.h"

namespace weft {
namespace {

using Blocks = std::vector<DimensionBlock>;

/// The first block and the first dimension in which two switches differ.
struct Stage {
  const DimensionBlock* block = nullptr;
  std::size_t dimension = 0;  // the only allowed dimension if the block is not adaptive
};

Stage stage_of(const Coordinates& coordinates, const Blocks& blocks, std::uint32_t from,
               std::uint32_t to) {
  for (const DimensionBlock& block : blocks)
    for (std::size_t d = block.first; d < block.end; ++d)
      if (coordinates.at(from, d) != coordinates.at(to, d)) return {&block, d};
  return {};
}

std::size_t dimension_of(const Coordinates& coordinates, std::uint32_t from, std::uint32_t to) {
  std::size_t d = 0;
  while (coordinates.at(from, d) == coordinates.at(to, d)) ++d;
  return d;
}

/// Removes all next hops that dimension order or the lanes of the blocks do not allow.
void keep_blocks(const Coordinates& coordinates, const Blocks& blocks, MinhopChoices& choices) {
  ChoiceDags& dags = choices.dags();
  const Trunks& trunks = choices.trunks();
  std::vector<std::uint32_t> others;
  for (std::uint32_t to = 0; to < dags.switches(); ++to)
    for (std::uint32_t from = 0; from < dags.switches(); ++from) {
      if (from == to) continue;
      const auto [block, dimension] = stage_of(coordinates, blocks, from, to);
      const auto is_kept = [&](std::uint32_t by) {
        const std::size_t d = dimension_of(coordinates, from, by);
        if (!block->adaptive) return d == dimension;
        if (d < block->first || d >= block->end) return false;
        return !std::ranges::binary_search(
            block->left_out,
            block->key(block->position(coordinates, from), block->position(coordinates, by),
                       block->position(coordinates, to)));
      };
      others.clear();
      dags.each(from, to, [&](std::uint32_t trunk) {
        if (!is_kept(trunks.head[trunk])) others.push_back(trunk);
        return true;
      });
      for (const std::uint32_t trunk : others) dags.drop(to, trunk);
    }
}

/// Assigns an SL to each combination of the lanes of the blocks.
void set_lanes(const Fabric& fabric, const Coordinates& coordinates, const Blocks& blocks,
               Routes& routes) {
  routes.vls = 1;
  for (const DimensionBlock& block : blocks) routes.vls = std::max(routes.vls, block.lanes);
  routes.vls_needed = routes.vls;
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  if (routes.vls == 1) return;
  const std::uint32_t switches = fabric.switch_count();
  std::vector<std::uint8_t> sls(std::size_t{switches} * switches, 0);
  std::vector<SlMap> maps;  // by block: the lane of each SL
  unsigned step = 1;
  for (const DimensionBlock& block : blocks) {
    SlMap map;
    for (unsigned sl = 0; sl < kSlCount; ++sl)
      map[sl] = static_cast<std::uint8_t>(sl / step % block.lanes);
    maps.push_back(map);
    std::vector<std::uint32_t> position;
    for (std::uint32_t s = 0; s < switches; ++s) position.push_back(block.position(coordinates, s));
    for (std::uint32_t a = 0; a < switches; ++a)
      for (std::uint32_t b = 0; b < switches; ++b)
        sls[std::size_t{a} * switches + b] = static_cast<std::uint8_t>(
            sls[std::size_t{a} * switches + b] + step * block.lane_of(position[a], position[b]));
    step *= block.lanes;
  }
  routes.path_sl = PathSl::by_switch_pair(switches, std::move(sls));
  if (blocks.size() == 1) return;  // the VL equals the SL
  for (const Channel& channel : fabric.channels()) {
    const std::size_t d = dimension_of(coordinates, channel.from.value(), channel.to.value());
    const auto block = std::ranges::find_if(
        blocks, [&](const DimensionBlock& one) { return d >= one.first && d < one.end; });
    for (const Port& in : fabric.ports(Fabric::node_of(channel.from)))
      routes.sl2vl.set(channel.from, in.num, channel.from_port,
                       maps[static_cast<std::size_t>(block - blocks.begin())]);
  }
}

Routes route_in_blocks(const Fabric& fabric, const ArMinhopOptions& options,
                       std::string_view engine, const Coordinates& coordinates,
                       const Blocks& blocks) {
  Routes routes;
  routes.engine = engine;
  MinhopChoices choices(fabric, options);
  keep_blocks(coordinates, blocks, choices);
  routes.lfts = choices.tables();
  if (options.adaptive != nullptr && !options.adaptive->enabled) return routes;
  set_lanes(fabric, coordinates, blocks, routes);
  choices.add_groups(1, routes);
  return routes;
}

/// Number of ports in the groups of all switches, for packets from hosts at the switch, over all
/// LIDs.
std::uint64_t count_group_ports(const Fabric& fabric, const Routes& routes) {
  if (!routes.adaptive) return 0;
  std::uint64_t ports = 0;
  for (const Endport& to : fabric.endports()) {
    if (!to.addressed()) continue;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const SwitchId sw(s);
      const ArTables& table =
          routes.adaptive->table_for(sw, PortNum(0), routes.path_sl.sl(sw, to.sw, to.lid));
      const PortMask* const group = table.group_of(sw, to.lid);
      ports += group == nullptr ? 0 : group->count();
    }
  }
  return ports;
}

/// Whether a fabric with blocks is routed in any order of dimensions too, to compare the groups.
/// Switches without AR would not profit from larger groups, and with blocks the load of the default
/// ports is more even. Above kStepsMax steps of choice_layers.h the comparison takes seconds.
bool may_leave_blocks(const Fabric& fabric, const AdaptiveOptions* adaptive) {
  constexpr std::uint64_t kStepsMax = 300'000'000;
  if (adaptive != nullptr && std::ranges::find(adaptive->group_capacity, std::uint16_t{0}) !=
                                 adaptive->group_capacity.end())
    return false;
  const std::uint64_t pairs = std::uint64_t{fabric.switch_count()} * fabric.switch_count();
  return pairs * Turns(fabric).count() <= kStepsMax;
}

/// Whether the options request notifications or divisions, which exist for groups of one table
/// only.
bool requires_one_table(const AdaptiveOptions* adaptive) {
  return adaptive != nullptr &&
         (adaptive->asymmetric != AsymmetricFlow::kOff ||
          std::ranges::find(adaptive->notifies, std::uint8_t{1}) != adaptive->notifies.end());
}

/// Shortest paths with any order of dimensions: with a table for each lane or with one table,
/// whichever has the larger groups. Tables for each lane usually permit larger groups, but each
/// removed next hop changes the later decisions of choice_layers.h.
Result<Routes> route_in_any_order(const Fabric& fabric, ArMinhopOptions options,
                                  std::string_view engine, std::string_view why) {
  options.table_by_lane = !requires_one_table(options.adaptive);
  auto routes = route_with_lanes(fabric, options, engine);
  if (!routes) return routes;
  if (routes->adaptive && routes->adaptive->has_private_tables()) {
    options.table_by_lane = false;
    auto single = route_with_lanes(fabric, options, engine);
    if (single && count_group_ports(fabric, *single) >= count_group_ports(fabric, *routes))
      routes = std::move(single);
  }
  routes->notes.push_back(
      fmt::format("{}: {}: shortest paths with any order of dimensions, on {} virtual lanes",
                  engine, why, routes->vls));
  return routes;
}

/// As route_in_any_order(), with up to `vls_max` lanes if those of the options do not suffice, and
/// with up*/down* paths if `vls_max` lanes do not suffice either.
Result<Routes> route_without_blocks(const Fabric& fabric, ArMinhopOptions options,
                                    std::string_view engine, std::string_view why,
                                    unsigned vls_max) {
  auto routes = route_in_any_order(fabric, options, engine, why);
  while (!routes && options.vls_max < vls_max) {
    ++options.vls_max;
    routes = route_in_any_order(fabric, options, engine, why);
  }
  if (routes || options.lid_matrix != nullptr) return routes;
  WithGroups<UpdnOptions> up_down;
  static_cast<WeightedOptions&>(up_down) = options;
  up_down.adaptive = options.adaptive;
  auto others = route_ar_updn(fabric, up_down);
  if (!others) return routes;
  others->engine = engine;
  others->notes.push_back(
      fmt::format("{}: up*/down* paths on one virtual lane", routes.error().message));
  return others;
}

Result<Routes> route_kdor(const Fabric& fabric, ArMinhopOptions options, std::string_view engine,
                          const std::optional<Coordinates>& coordinates) {
  const unsigned vls_max = options.vls_max;
  options.vls_max = std::min(vls_max, kKdorLanes);
  const bool plain = options.lid_matrix == nullptr && options.hop_weights.empty();
  std::optional<Blocks> blocks;
  if (coordinates && plain)
    blocks = make_blocks(fabric, *coordinates, lanes_available(fabric, options.vls_max));
  if (!blocks)
    return route_without_blocks(
        fabric, options, engine,
        !plain         ? "a LID matrix or hop weights are given"
        : !coordinates ? "the fabric is not a complete product of lines and rings (kdor-hc) or "
                         "of complete graphs (kdor-ghc)"
                       : "the fabric has rings and a switch without hosts, or the rings need "
                         "more virtual lanes or SLs",
        vls_max);
  Routes in_blocks = route_in_blocks(fabric, options, engine, *coordinates, *blocks);
  if (!in_blocks.adaptive || !may_leave_blocks(fabric, options.adaptive)) return in_blocks;
  auto routes = route_in_any_order(fabric, options, engine,
                                   "the groups are larger than within blocks of two dimensions");
  if (!routes || count_group_ports(fabric, *routes) <= count_group_ports(fabric, in_blocks))
    return in_blocks;
  return routes;
}

}  // namespace

Result<Routes> route_kdor_hc(const Fabric& fabric, const ArMinhopOptions& options) {
  std::optional<Coordinates> coordinates;
  if (const auto mesh = find_mesh(fabric))
    coordinates = coordinates_of(make_grid(fabric, *mesh, Trunks(fabric)));
  return route_kdor(fabric, options, "kdor-hc", coordinates);
}

Result<Routes> route_kdor_ghc(const Fabric& fabric, const ArMinhopOptions& options) {
  std::optional<Coordinates> coordinates;
  if (const auto hyperx = find_hyperx(Trunks(fabric))) coordinates = coordinates_of(*hyperx);
  return route_kdor(fabric, options, "kdor-ghc", coordinates);
}

}  // namespace weft
