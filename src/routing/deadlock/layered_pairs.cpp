// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/layered_pairs.h"

#include <algorithm>
#include <optional>

#include "routing/deadlock/layering.h"
#include "routing/deadlock/pair_distances.h"
#include "routing/deadlock/switch_orders.h"

namespace weft {
namespace {

// Limit of the turns that agree with no order, for each trunk.
constexpr double kTurnsFree = 1.04;
constexpr unsigned kForTwoFree = 4;  // with this number of layers or more, two are free

}  // namespace

std::optional<LayeredPairs> layer_pairs(const Fabric& fabric, const Turns& turns,
                                        const Trunks& trunks, std::span<const Destination> order,
                                        LayerOrders kind, unsigned layers_least,
                                        unsigned layers_max, unsigned threads,
                                        std::optional<layering::Distances>& distances) {
  const unsigned most = std::min(layers_max, SwitchOrders::kMost);
  const bool around_roots = kind == LayerOrders::kAroundRoots;
  const SwitchOrders orders = around_roots ? SwitchOrders::around_roots(fabric, trunks, most)
                                           : SwitchOrders(fabric, trunks, most);
  const auto share = unfitted_shares(fabric, trunks, orders, Pairs::kOfSwitches);
  for (unsigned layers = std::max(2u, layers_least); layers <= orders.count(); ++layers) {
    const unsigned free = layers < kForTwoFree ? 1 : 2;
    if (!distances) distances = layering::measure_distances(fabric, trunks, order, threads);
    if (share[layers - free] * distances->turns() > kTurnsFree * trunks.count()) continue;
    layering::Layering layered(fabric, turns, trunks, *distances, orders, layers, free,
                               around_roots);
    if (!layered.run()) continue;
    if (around_roots) layered.balance();
    return layered.take(threads);
  }
  return std::nullopt;
}

}  // namespace weft
