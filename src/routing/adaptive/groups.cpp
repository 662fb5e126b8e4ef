// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/groups.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routes/next_hops.h"
#include "routing/adaptive/group_tables.h"
#include "routing/adaptive/lid_classes.h"
#include "routing/adaptive/tree_masks.h"
#include "routing/adaptive/turns_up.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

/// Returns, for each table entry, the output port and the ports of the parallel cables, except
/// cables with a greater weight.
WantedGroups parallel_masks(const Fabric& fabric, const Lfts& lfts, std::span<const Lid> lids,
                            std::span<const std::uint64_t> weights, SwitchId sw, std::size_t size) {
  const auto channels = fabric.channels_from(sw);
  const std::uint32_t first = fabric.first_channel(sw).value();
  SwitchMasks masks;
  std::array<std::uint16_t, 256> of_port;  // by port of the table
  of_port.fill(SwitchMasks::kNone);
  for (std::size_t own = 0; own < channels.size(); ++own) {
    PortMask mask;
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].to == channels[own].to &&
          (weights.empty() || weights[first + c] <= weights[first + own]))
        mask.set(channels[c].from_port.value());
    if (mask.count() > 1) of_port[channels[own].from_port.value()] = masks.number(mask);
  }
  WantedGroups wanted{masks.masks(), std::vector(size, SwitchMasks::kNone)};
  if (wanted.masks.empty()) return wanted;
  for (const Lid lid : lids) wanted.of_lid[lid.value()] = of_port[lfts.port(sw, lid).value()];
  return wanted;
}

WantedGroups masks_by_lid(const TreeMasks& tree, SwitchId sw, std::size_t size) {
  const TreeMasks::OfSwitch& here = tree.switches[sw.value()];
  WantedGroups wanted{here.masks.masks(), std::vector(size, SwitchMasks::kNone)};
  if (wanted.masks.empty()) return wanted;
  for (std::size_t i = 0; i < tree.classes.size(); ++i)
    for (const LidRun run : tree.classes[i].runs)
      std::fill_n(wanted.of_lid.begin() + run.first, run.count, here.of_class[i]);
  return wanted;
}

/// Returns the masks. With `ranked` channels, entries after a turn from down to up may be adaptive.
TreeMasks tree_masks(TreeMasksInput input, bool ranked) {
  if (!ranked) return find_tree_masks(input);
  input.static_entries = StaticEntries::kDownHops;
  TreeMasks masks = find_tree_masks(input);
  if (all_turns_are_acyclic(input.fabric, input.up, masks.turns_up)) return masks;
  input.static_entries = StaticEntries::kFromDownHop;
  return find_tree_masks(input);
}

/// `ranked`: up channels ascend in an order of the switches.
void add_groups(const Fabric& fabric, std::span<const std::uint8_t> up, bool ranked,
                const GroupOptions& options, Routes& routes) {
  if (options.adaptive != nullptr && !options.adaptive->enabled) return;
  const std::size_t size = lid_blocks(fabric) * kLftBlock;
  if (up.empty()) {
    const std::vector<Lid> lids = routable_lids(fabric, routes.lfts);
    store_groups(
        fabric, options,
        [&](SwitchId sw) {
          return parallel_masks(fabric, routes.lfts, lids, options.hop_weights, sw, size);
        },
        routes);
    return;
  }
  const unsigned threads = threads_worth(
      std::uint64_t{fabric.switch_count()} * fabric.lid_top().value(), options.threads);
  const std::span<const std::uint8_t> one_port =
      options.adaptive != nullptr ? options.adaptive->notifies : std::span<const std::uint8_t>();
  const TreeMasks tree =
      tree_masks({fabric, routes.lfts, up, options.hop_weights, one_port, threads}, ranked);
  store_groups(
      fabric, options, [&](SwitchId sw) { return masks_by_lid(tree, sw, size); }, routes);
}

bool uses_lag(const GroupOptions& options) {
  return options.adaptive != nullptr && options.adaptive->algorithm == ArAlgorithm::kLag;
}

}  // namespace

void add_parallel_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes) {
  add_groups(fabric, {}, false, options, routes);
}

void add_tree_groups(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     std::span<const std::uint32_t> ids, const GroupOptions& options,
                     Routes& routes) {
  std::vector<std::uint8_t> up;
  for (const Channel& channel : fabric.channels())
    up.push_back(goes_up(channel, rank, ids) ? 1 : 0);
  if (uses_lag(options))
    add_parallel_groups(fabric, options, routes);
  else
    add_groups(fabric, up, true, options, routes);
}

void add_upward_groups(const Fabric& fabric, std::span<const std::uint8_t> up,
                       const GroupOptions& options, Routes& routes) {
  if (uses_lag(options))
    add_parallel_groups(fabric, options, routes);
  else
    add_groups(fabric, up, false, options, routes);
}

std::vector<std::uint8_t> upward_channels(const Fabric& fabric) {
  const std::vector<bool> leaves = leaf_switches(fabric);
  std::vector<std::uint8_t> up;
  for (const Channel& channel : fabric.channels())
    up.push_back(leaves[channel.to.value()] && !leaves[channel.from.value()] ? 0 : 1);
  return up;
}

}  // namespace weft
