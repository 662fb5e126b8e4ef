// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// LASH: shortest paths between switches. Each pair of switches is on a layer (a virtual lane)
// without dependency cycles, the same layer in both directions. Source: Skeie, Lysne, Theiss,
// "Layered Shortest Path (LASH) Routing in Irregular System Area Networks", CAC 2002; Lysne et al.,
// "Layered Routing in Irregular Networks", IEEE TPDS 16(12), 2005.
#pragma once

#include <array>
#include <optional>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"
#include "routing/reweight/parameter.h"

namespace weft {

inline constexpr EngineParameter kMeshAnalysis{.name = "do_mesh_analysis",
                                               .option = "--do_mesh_analysis",
                                               .is_flag = true,
                                               .about = "Search for a mesh or torus first (lash)."};
inline constexpr EngineParameter kStartVl{.name = "lash_start_vl",
                                          .option = "--lash_start_vl",
                                          .most = 14,
                                          .about = "First VL for the layers (lash)."};

struct LashOptions {
  unsigned threads = 0;
  unsigned vls_max = 8;
  std::span<const EndportId> order{};              // -X
  bool mesh_analysis = false;                      // try dimension order before the paths of sssp
  unsigned start_vl = 0;                           // the first VL to use
  const Lfts* previous = nullptr;                  // active tables
  unsigned reweight = 0;                           // kReweight
  std::optional<Routes>* before_passes = nullptr;  // RoutingOptions::before_passes

  static constexpr OptionSet kSupports{Option::kOrder};
  static constexpr std::array kParameters{kMeshAnalysis, kStartVl, kReweight};
  static LashOptions from(const RoutingOptions& all);
};

/// Fails with kUnroutable if a port has more than one LID, as in OpenSM, and with kOutOfVls
/// if the layers need more lanes than are available from options.start_vl on.
Result<Routes> route_lash(const Fabric& fabric, const LashOptions& options);

}  // namespace weft
