// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// -R auto: selects the best engine for the fabric. The candidates compute routes; of the engines
// with routes that pass the verifier and have about the highest value of the objective, best_of()
// selects one. `weft check` sorts engines by the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "congestion/quality/objective.h"
#include "fabric/fabric.h"
#include "routing/topology.h"

namespace weft {

/// The value of -R that selects the engine automatically.
inline constexpr std::string_view kAutomatic = "auto";

/// Returns every engine that needs no files, and torus-2QoS if `torus_described`, in the order of
/// preference for this topology; among equally good engines the first is selected. For very large
/// fabrics only the first few engines are returned, because each candidate computes routes; for a
/// single switch only minhop, because all routes are equal.
std::vector<std::string_view> candidates_for(const Fabric& fabric, const Topology& topology,
                                             bool torus_described);
/// Whether the fabric is so large that candidates_for() returns at most the first few engines.
bool is_large(const Fabric& fabric);
/// Whether "auto" tries the engine on smaller fabrics of this topology, but not on this fabric.
bool is_omitted_by_size(const Fabric& fabric, const Topology& topology, std::string_view engine,
                        bool torus_described);

/// for_objective() with the groups of the fabric, if shifts are measured.
QualityOptions figures_for(const Fabric& fabric, Objective objective, QualityOptions options);

/// Quality of one engine's routes.
struct Trial {
  std::string engine;
  double value = 0;  // value of the objective (congestion/quality/objective.h): 0 to 1, 1 is best
  unsigned vls = 0;  // VLs that its routes need
  /// Verdict::single_sls: SLs on which all traffic together is deadlock-free, for clients that
  /// ignore the SL of path records.
  std::uint16_t single_sls = 0;
  std::string figures{};  // figures of quality: "effective bisection 0.746, all to all 1.000"
  std::vector<double> by_matching{};  // values_by_matching(), with the same matchings in all trials
  std::vector<double> by_distance{};  // values_by_distance(), with the same distances in all trials
  double unmeasured = 0;              // ShiftQuality::unmeasured
  bool ends_search = false;           // no engine is tried after it
};

/// Whether no other engine has a higher value: the routes are deadlock-free with all traffic on SL
/// 0, and hosts get their full bandwidth in all figures of the objective. On trees the effective
/// bisection is excluded, except if it is the objective, because no static routes reach its
/// maximum: if neither all to all nor any shift loses bandwidth, each switch divides the hosts
/// evenly among its uplinks, no two hosts share a downlink, and random pairs share links least
/// often.
bool has_highest_value(const Topology& topology, Objective objective, const Trial& trial,
                       const Quality& quality);

/// The value of `best` minus the value of `trial`: over the same matchings, or without matchings
/// the difference of the values.
struct Shortfall {
  double mean = 0;
  /// Half the width of the 99% confidence interval, from the random matchings and from the
  /// distances of shifts that were not measured.
  double error = 0;
};
Shortfall shortfall(const Trial& trial, const Trial& best);

/// Whether the value is at most half a percent below `most`.
bool is_as_good(const Trial& trial, double most);
/// Whether the value of `trial` is at most half a percent below that of `best`, or at most a tenth
/// below it and within Shortfall::error.
bool is_as_good(const Trial& trial, const Trial& best);
/// Whether the value is at most a tenth below `most`, so that the trial can be as good as a trial
/// with this value.
bool can_be_as_good(const Trial& trial, double most);
/// Index of the best trial. Of the trials that are as good as the trial with the highest value,
/// those with routes that are deadlock-free with all traffic on SL 0 are preferred, then those with
/// routes that are deadlock-free on another single SL. The first of the remaining trials is the
/// best. `trials` are in order of preference and must not be empty.
std::size_t best_of(const std::vector<Trial>& trials);

/// Returns the text that states whether the routes are deadlock-free if all clients ignore the SL
/// of path records.
std::string_view one_sl_text(const Trial& trial);

/// Returns a text about the selected engine and the next best one, for example "a tree of 3 levels:
/// ftree (effective bisection 0.746, all to all 1.000, 1 VL, free of deadlock on one SL); next best
/// updn (..), less by 0.012 +/- 0.003"; without a next best engine, states that no other engine was
/// tried or succeeded. Also names an equally good engine that was not selected because its routes
/// can deadlock if clients ignore the SL.
std::string describe_choice(const Topology& topology, const std::vector<Trial>& trials,
                            std::size_t best);

}  // namespace weft
