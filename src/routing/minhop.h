// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Min Hop: shortest paths, balanced over the channels. Can deadlock if the fabric has rings.
// Source: opensm(8), "Min Hop Algorithm". Cost: O(LIDs * candidate channels).
#pragma once

#include <array>
#include <optional>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/balance/spread.h"
#include "routing/option_groups.h"
#include "routing/reweight/parameter.h"

namespace weft {

struct MinhopOptions : WeightedOptions {
  const LidMatrix* lid_matrix = nullptr;           // -M: the candidate paths; null: the shortest
  unsigned reweight = 0;                           // kReweight
  std::optional<Routes>* before_passes = nullptr;  // RoutingOptions::before_passes

  static constexpr OptionSet kSupports = WeightedOptions::kSupports | OptionSet{Option::kLidMatrix};
  static constexpr std::array kParameters{kReweight};
  static MinhopOptions from(const RoutingOptions& all);
};

/// The next hops among which route_minhop() selects. The fabric, and the objects to which the
/// options refer, must outlive the result.
DagMaker minhop_dags(const Fabric& fabric, const MinhopOptions& options);

/// Never fails: the connected parts of a fabric are routed separately, and the verifier reports
/// unconnected pairs.
Result<Routes> route_minhop(const Fabric& fabric, const MinhopOptions& options);

}  // namespace weft
