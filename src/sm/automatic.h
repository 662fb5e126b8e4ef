// -R auto: the engine that is best for the fabric as it is. All that can serve route it; of those
// that the verifier passes, the one with the most effective bisection is taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "routing/topology.h"

namespace weft {

/// The name under which it stands in -R.
inline constexpr std::string_view kAutomatic = "auto";

/// Engines worth trying on such a fabric, the likeliest first: of several that are as good, the
/// first is taken. Very large fabrics get the first few alone, since each has to be routed.
std::vector<std::string_view> candidates_for(const Fabric& fabric, const Topology& topology,
                                             bool torus_described);

/// What an engine came to.
struct Trial {
  std::string engine;
  double ebb = 0;    // effective bisection, Quality::ebb
  unsigned vls = 0;  // that its routes need
};

/// The best of those that served, by its place; of those that are not worse by half a percent, the
/// first. `trials` must not be empty.
std::size_t best_of(const std::vector<Trial>& trials);

/// "a tree of 3 levels: ftree (effective bisection 0.746, 1 VL); next best updn (0.746, 1 VL)"
std::string tell(const Topology& topology, const std::vector<Trial>& trials, std::size_t best);

}  // namespace weft
