// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Quality of routes: hop counts, balance of paths over channels, and the bandwidth of random
// traffic. Effective bisection bandwidth: Hoefler et al., "Multistage switches are not crossbars",
// Cluster 2008.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// Hosts are CA ports cabled to a switch, each addressed by its base LID. Paths are those of all
/// ordered pairs of hosts on different ports that are connected. Hops are cables from the first
/// switch on, as OpenSM counts them in its dumps: between hosts, the number of switches on the
/// path.
struct Quality {
  unsigned hops_max = 0;
  double hops_mean = 0;
  std::uint64_t nonminimal = 0;     // paths with more hops than the shortest in the fabric
  std::uint64_t link_load_max = 0;  // paths over one channel between switches, one direction
  double link_load_mean = 0;        // over all such channels
  double link_load_sd = 0;
  /// No routes of the same kind have a smaller link_load_max (load_bound.h). Empty unless asked
  /// for, if the routes miss paths, and on large fabrics.
  std::optional<std::uint64_t> link_load_bound{};
  /// The kind: "shortest paths" if all paths are such, else "any paths". Without a bound the
  /// reason, "not computed: .."
  std::string link_load_bound_basis{};
  double ebb = 0;  // mean over matchings and flows of 1 / most flows on a channel of the path; 0..1
  /// For adaptive routes, the same with each flow of a matching placed, at every hop, on the least
  /// loaded port of its group.
  std::optional<double> ebb_adaptive{};
};

struct QualityOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;
  unsigned matchings = 100;  // each pairs all hosts at random; one of each pair sends to the other
  bool bound = false;        // whether to compute link_load_bound
};

/// Independent of the number of threads.
Quality assess(const Fabric& fabric, const Routes& routes, const QualityOptions& options = {});

}  // namespace weft
