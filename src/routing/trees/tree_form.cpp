// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/tree_form.h"

#include <algorithm>
#include <vector>

#include "routing/balance/channel_weights.h"
#include "routing/shapes/levels.h"
#include "routing/shapes/ranks.h"
#include "routing/trees/equivalent_switches.h"
#include "routing/trees/kept_tables.h"
#include "routing/trees/order.h"
#include "routing/trees/tables.h"
#include "routing/trees/tree.h"

namespace weft {
namespace {

using namespace ftree;

// At most 1 in kMissingShare cables may be missing between two levels.
constexpr std::uint64_t kMissingShare = 8;

bool by_load_alone(const WeightedOptions& options) {
  return options.balance == Balance::kGlobal && options.order.empty() && options.ignored.empty() &&
         options.hop_weights.empty() && options.port_rank.empty() && !options.port_shifting &&
         options.scatter_ports == 0 && (!options.previous || options.previous_fabric);
}

/// Whether the levels and the ranks define the same up channels.
bool agree(const Fabric& fabric, std::span<const std::int32_t> level,
           std::span<const std::uint16_t> ranks) {
  return std::ranges::all_of(fabric.channels(), [&](const Channel& channel) {
    return (level[channel.to.value()] > level[channel.from.value()]) == goes_up(channel, ranks);
  });
}

/// Whether the children of each family have the same parents, and equally many cables to each
/// parent, apart from a few missing cables.
bool is_regular(const Tree& tree) {
  for (const auto& switches : tree.levels()) {
    std::uint64_t most = 0, slots = 0, cables = 0;
    for (const std::uint32_t s : switches) {
      if (!tree.shares_parents(s)) return false;
      slots += tree.width(s);
      for (const Group& group : tree.up(s)) {
        cables += group.cables;
        most = std::max<std::uint64_t>(most, group.cables);
      }
    }
    if ((most * slots - cables) * kMissingShare > most * slots) return false;
  }
  return true;
}

bool all_equal(const std::vector<std::uint32_t>& weights) {
  return std::ranges::adjacent_find(weights, std::ranges::not_equal_to()) == weights.end();
}

/// Tables of shortest paths if `ranks` is empty, else of up*/down* paths.
std::optional<Lfts> closed_form(const Fabric& fabric, const WeightedOptions& options,
                                std::span<const std::uint16_t> ranks) {
  if (!by_load_alone(options)) return std::nullopt;
  if (std::ranges::any_of(fabric.endports(), [](const Endport& port) { return port.lmc > 0; }))
    return std::nullopt;
  const ComputeNodes cns = find_compute_nodes(fabric);
  if (leaf_stride(cns) == 0) return std::nullopt;
  auto level = level_switches(fabric, {}, cns);
  if (!level || std::ranges::find(*level, kNoLevel) != level->end()) return std::nullopt;
  if (!ranks.empty() && !agree(fabric, *level, ranks)) return std::nullopt;
  if (!all_equal(channel_weights(fabric))) return std::nullopt;
  const Paths paths = ranks.empty() ? Paths::kShortest : Paths::kUpDown;
  if (options.previous)
    return keep_tables(*options.previous_fabric, *options.previous, fabric, ranks_of(*level),
                       paths);
  const Tree tree(fabric, std::move(*level));
  if (!is_regular(tree)) return std::nullopt;

  const EquivalentSwitches equivalents(tree);
  const Destinations order = order_destinations(fabric, tree, cns, LeafOrder::kById);
  return std::move(
      *fill_tables(tree, order, equivalents, paths, fabric.lid_top(), options.threads));
}

}  // namespace

std::optional<Lfts> tree_form(const Fabric& fabric, const WeightedOptions& options) {
  return closed_form(fabric, options, {});
}

std::optional<Lfts> tree_form(const Fabric& fabric, const UpDownOptions& options,
                              std::span<const std::uint16_t> ranks) {
  if (options.connect_roots || !options.switch_rank.empty()) return std::nullopt;
  return closed_form(fabric, options, ranks);
}

}  // namespace weft
