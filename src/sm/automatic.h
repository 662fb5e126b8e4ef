// -R auto: the engine that is best for the fabric as it is. Every candidate routes; of those that
// the verifier passes, the one with the most effective bisection is taken. `weft check` ranks its
// engines by the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "routing/topology.h"

namespace weft {

/// The name under which it stands in -R.
inline constexpr std::string_view kAutomatic = "auto";

/// Every engine that needs no files, in the order of preference for such a fabric: of several that
/// are equally good, the first is taken. Very large fabrics get the first few only, since each has
/// to be routed.
std::vector<std::string_view> candidates_for(const Fabric& fabric, const Topology& topology,
                                             bool torus_described);

/// Figures of the routes of one engine.
struct Trial {
  std::string engine;
  double ebb = 0;    // effective bisection, Quality::ebb
  unsigned vls = 0;  // needed by its routes
  /// Verdict::single_sls: SLs that all traffic may use at once where clients ignore the SL.
  std::uint16_t single_sls = 0;
};

/// At most half a percent less effective bisection than `most`.
bool is_as_good(const Trial& trial, double most);
/// The place of the best trial. Of those as good as the one with most effective bisection, routes
/// are preferred that stay free of deadlock if all traffic uses SL 0, as of clients that ignore the
/// SL, then those that do so on another SL, then the first. `trials` are in order of preference and
/// must not be empty.
std::size_t best_of(const std::vector<Trial>& trials);

/// "free of deadlock on one SL", or not: if all clients ignore the SL that path records name.
std::string_view one_sl_text(const Trial& trial);

/// "a tree of 3 levels: ftree (effective bisection 0.746, 1 VL, free of deadlock on one SL); next
/// best updn (..)", and which engine is as good but was left since it needs its SLs.
std::string tell(const Topology& topology, const std::vector<Trial>& trials, std::size_t best);

}  // namespace weft
