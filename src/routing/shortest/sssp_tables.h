// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shortest paths balanced by the number of paths over each channel of the whole fabric: the tables
// of sssp, from which dfsssp and lash start.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/option_groups.h"
#include "routing/reweight/parameter.h"
#include "routing/tables/destinations.h"

namespace weft {

struct SsspOptions {
  unsigned threads = 0;
  std::span<const EndportId> order{};              // -X
  std::span<const EndportId> compute_nodes{};      // -u
  std::span<const EndportId> io_nodes{};           // -G
  std::span<const std::uint64_t> hop_weights{};    // by ChannelId; empty: 1 each
  const Lfts* previous = nullptr;                  // active tables; unused with classes of nodes
  const Fabric* previous_fabric = nullptr;         // fabric of `previous`; null: unknown
  unsigned reweight = 0;                           // kReweight; unused with classes of nodes
  std::optional<Routes>* before_passes = nullptr;  // RoutingOptions::before_passes

  static constexpr OptionSet kSupports{Option::kOrder, Option::kComputeNodes, Option::kIoNodes,
                                       Option::kHopWeights, Option::kAvoidDegradedLinks};
  static constexpr std::array kParameters{kReweight};
  static SsspOptions from(const RoutingOptions& all);
};

/// The classes of destinations that the options define (balance/destination_classes.h).
std::vector<std::vector<Destination>> sssp_classes(const Fabric& fabric,
                                                   const SsspOptions& options);

/// The connected parts of a fabric are routed separately. Can deadlock if the fabric has rings. If
/// there are passes and `before_passes` is not null, the tables before the passes are stored.
Lfts sssp_tables(const Fabric& fabric, const SsspOptions& options,
                 std::optional<Lfts>* before_passes = nullptr);

}  // namespace weft
