// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// -R auto: selects the best engine for the fabric. Every candidate routes; of those that pass the
// verifier, the one with the highest value of the objective is selected. `weft check` ranks its
// engines by the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "congestion/quality/objective.h"
#include "fabric/fabric.h"
#include "routing/topology.h"

namespace weft {

/// Its name in -R.
inline constexpr std::string_view kAutomatic = "auto";

/// Every engine that needs no files, in order of preference for such a fabric: of equally good
/// engines the first is selected. For very large fabrics only the first few, since each candidate
/// must route.
std::vector<std::string_view> candidates_for(const Fabric& fabric, const Topology& topology,
                                             bool torus_described);
/// Whether candidates_for() returns the first few only.
bool is_large(const Fabric& fabric);

/// Quality of one engine's routes.
struct Trial {
  std::string engine;
  double value = 0;  // of the objective (congestion/quality/objective.h); 0..1, more is better
  unsigned vls = 0;  // needed by its routes
  /// Verdict::single_sls: SLs on which all traffic together is deadlock-free, for clients that
  /// ignore the SL.
  std::uint16_t single_sls = 0;
  std::string figures{};  // of its quality: "effective bisection 0.746, all to all 1.000"
  std::vector<double> by_matching{};  // values_by_matching(): the same matchings for all trials
  bool ends_search = false;           // no engine is tried after it
};

/// Whether no other engine has a higher value: routes that are deadlock-free with all traffic on
/// SL 0, with the full bandwidth of the hosts in all that the objective compares. On trees this
/// excludes the effective bisection, which no static routes have in full: where neither all to all
/// nor a shift loses bandwidth, each switch divides the hosts evenly among its links up and no two
/// hosts share a link down, and random pairs meet least often.
bool has_highest_value(const Topology& topology, Objective objective, const Trial& trial,
                       const Quality& quality);

/// How much less the value of `trial` is, over the same matchings.
struct Shortfall {
  double mean = 0;
  double error = 0;  // half the width of the 99% confidence interval
};
Shortfall shortfall(const Trial& trial, const Trial& best);

/// At most half a percent below `most`.
bool is_as_good(const Trial& trial, double most);
/// At most half a percent below the best, or by no more than the error of the matchings, unless it
/// is a tenth below.
bool is_as_good(const Trial& trial, const Trial& best);
/// Can the trial be as good as one with this value?
bool can_be_as_good(const Trial& trial, double most);
/// Index of the best trial. Among those as good as the one with the highest value, routes that are
/// deadlock-free with all traffic on SL 0 come first, then those on another single SL, then the
/// first in order. `trials` are in order of preference and must not be empty.
std::size_t best_of(const std::vector<Trial>& trials);

/// Whether the routes are deadlock-free if all clients ignore the SL of path records.
std::string_view one_sl_text(const Trial& trial);

/// "a tree of 3 levels: ftree (effective bisection 0.746, all to all 1.000, 1 VL, free of deadlock
/// on one SL); next best updn (..), less by 0.012 +/- 0.003", and which equally good engine was
/// passed over because it needs its SLs.
std::string describe_choice(const Topology& topology, const std::vector<Trial>& trials,
                            std::size_t best);

}  // namespace weft
