// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/layer_assignment.h"

#include <algorithm>
#include <mutex>

#include "base/rng.h"

#ifdef WEFT_METIS
#include <metis.h>
#endif

namespace weft::nue {

std::vector<std::uint32_t> assign_layers_seeded(std::span<const std::uint32_t> weight,
                                                unsigned layers, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::uint32_t> order = rng.permutation(static_cast<std::uint32_t>(weight.size()));
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t s) { return weight[s]; });
  std::vector<std::uint64_t> held(layers, 0);
  std::vector<std::uint32_t> layer(weight.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto least = weight[order[i]] == 0
                           ? held.begin() + static_cast<std::ptrdiff_t>(i % layers)
                           : std::ranges::min_element(held);
    *least += weight[order[i]];
    layer[order[i]] = static_cast<std::uint32_t>(least - held.begin());
  }
  return layer;
}

#ifdef WEFT_METIS

bool has_metis() { return true; }

std::vector<std::uint32_t> assign_layers(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                         unsigned layers, std::uint64_t seed) {
  const auto terminals = std::ranges::count_if(weight, [](std::uint32_t w) { return w > 0; });
  // With few destinations or without arcs METIS would leave layers empty.
  if (layers < 2 || arcs.count() == 0 || terminals < std::ptrdiff_t{4} * layers)
    return assign_layers_seeded(weight, layers, seed);
  std::vector<idx_t> begin(arcs.begin.begin(), arcs.begin.end());
  std::vector<idx_t> head(arcs.head.begin(), arcs.head.end());
  std::vector<idx_t> weights(weight.begin(), weight.end());
  std::vector<idx_t> part(arcs.switches, 0);
  auto vertices = static_cast<idx_t>(arcs.switches);
  idx_t constraints = 1;
  auto parts = static_cast<idx_t>(layers);
  idx_t cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7FFFFFFF);
  // METIS has one random state for each process, so its calls are serialized.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  if (METIS_PartGraphKway(&vertices, &constraints, begin.data(), head.data(), weights.data(),
                          nullptr, nullptr, &parts, nullptr, nullptr, options, &cut,
                          part.data()) != METIS_OK)
    return assign_layers_seeded(weight, layers, seed);
  return {part.begin(), part.end()};
}

#else

bool has_metis() { return false; }

std::vector<std::uint32_t> assign_layers(const Arcs&, std::span<const std::uint32_t> weight,
                                         unsigned layers, std::uint64_t seed) {
  return assign_layers_seeded(weight, layers, seed);
}

#endif

}  // namespace weft::nue
