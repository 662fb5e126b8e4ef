// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Quality metrics as JSON and as text, and the options --patterns and --shift-flows.
#pragma once

#include <string>

#include "cli/common.h"
#include "congestion/quality/quality.h"
#include "routing/topology.h"

namespace weft::cli {

struct PatternArguments {
  bool measured = false;
  std::uint64_t shift_flows = kShiftFlowsMost;
};

inline void add_patterns(CLI::App& app, PatternArguments& arguments) {
  app.add_flag("--patterns", arguments.measured,
               "Measure shifts of all hosts, the worst permutation and, with LMC, the paths to all "
               "LIDs too");
  app.add_option("--shift-flows", arguments.shift_flows,
                 "With --patterns: limit the flows of all measured shifts together; with more "
                 "flows the shifts are a sample (default: 4000000)");
}

/// The options with the figures that the arguments request.
inline QualityOptions quality_options(QualityOptions options, const PatternArguments& arguments,
                                      const Fabric& fabric) {
  options.shift_flows = arguments.shift_flows;
  return arguments.measured ? with_patterns(options, group_by_switch(fabric)) : options;
}

inline Json shifts_json(const ShiftQuality& shifts) {
  return {{"measured", shifts.measured},
          {"mean", shifts.mean},
          {"error", shifts.error},
          {"worst", shifts.worst},
          {"worst_distance", shifts.worst_distance}};
}

inline Json lid_paths_json(const LidPathQuality& paths) {
  return {{"lids", paths.lids},
          {"link_load_max", paths.link_load_max},
          {"timed_load_max", paths.timed_load_max},
          {"disjoint_mean", paths.disjoint_mean},
          {"disjoint_min", paths.disjoint_min},
          {"kept", paths.kept}};
}

inline Json quality_json(const Quality& quality) {
  return {
      {"hops_max", quality.hops_max},
      {"hops_mean", quality.hops_mean},
      {"nonminimal", quality.nonminimal},
      {"kept", quality.kept},
      {"link_load_max", quality.link_load_max},
      {"link_load_mean", quality.link_load_mean},
      {"link_load_sd", quality.link_load_sd},
      {"link_load_bound", quality.link_load_bound ? Json(*quality.link_load_bound) : Json()},
      {"link_load_bound_basis",
       quality.link_load_bound_basis.empty() ? Json() : Json(quality.link_load_bound_basis)},
      {"timed_load_max", quality.timed_load_max},
      {"timed_load_bound", quality.timed_load_bound ? Json(*quality.timed_load_bound) : Json()},
      {"ebb", quality.ebb},
      {"ebb_error", quality.ebb_error},
      {"ebb_adaptive", quality.ebb_adaptive ? Json(*quality.ebb_adaptive) : Json()},
      {"ebb_adaptive_error",
       quality.ebb_adaptive_error ? Json(*quality.ebb_adaptive_error) : Json()},
      {"alltoall", quality.alltoall},
      {"alltoall_bound", quality.alltoall_bound ? Json(*quality.alltoall_bound) : Json()},
      {"shifts", quality.shifts ? shifts_json(*quality.shifts) : Json()},
      {"permutation_flows", quality.permutation_flows ? Json(*quality.permutation_flows) : Json()},
      {"timed_permutation_flows",
       quality.timed_permutation_flows ? Json(*quality.timed_permutation_flows) : Json()},
      {"lid_paths", quality.lid_paths ? lid_paths_json(*quality.lid_paths) : Json()}};
}

/// ", 16.0 by rate" if link rates change the value.
inline std::string by_rate(double value, double timed) {
  return timed == value ? "" : fmt::format(", {:.1f} by rate", timed);
}

inline std::string patterns_text(const Quality& quality) {
  std::string text;
  if (quality.shifts) {
    const std::string error =
        quality.shifts->error > 0 ? fmt::format(" +/- {:.3f} (99%)", quality.shifts->error) : "";
    text += fmt::format("shifts              {:.3f}{} on average, {:.3f} at worst (by {} hosts)\n",
                        quality.shifts->mean, error, quality.shifts->worst,
                        quality.shifts->worst_distance);
    text += fmt::format(
        "random failures     {:.3f} of the pairs keep their path if one link fails, {:.3f} if two, "
        "{:.3f} if three\n",
        quality.kept[0], quality.kept[1], quality.kept[2]);
  }
  if (quality.permutation_flows)
    text += fmt::format("worst permutation   {} flows on one link{}\n", *quality.permutation_flows,
                        by_rate(*quality.permutation_flows, *quality.timed_permutation_flows));
  if (quality.lid_paths)
    text += fmt::format(
        "all {:<3} LIDs        load {:.1f} at most{}; {:.2f} disjoint paths on average, {} at "
        "least\n"
        "                    {:.3f} of the pairs keep a path whichever link fails, {:.3f} "
        "whichever two, {:.3f} whichever three\n",
        quality.lid_paths->lids, quality.lid_paths->link_load_max,
        by_rate(quality.lid_paths->link_load_max, quality.lid_paths->timed_load_max),
        quality.lid_paths->disjoint_mean, quality.lid_paths->disjoint_min,
        quality.lid_paths->kept[0], quality.lid_paths->kept[1], quality.lid_paths->kept[2]);
  return text;
}

inline std::string quality_text(const Quality& quality) {
  const std::string chosen =
      quality.ebb_adaptive
          ? fmt::format(
                "                    {:.3f} with adaptive routing to the least loaded port, +/- "
                "{:.3f} (99%)\n",
                *quality.ebb_adaptive, *quality.ebb_adaptive_error)
          : "";
  std::string bound;
  if (quality.link_load_bound) {
    bound = fmt::format("largest load        {}, at least {} with {}\n", quality.link_load_max,
                        *quality.link_load_bound, quality.link_load_bound_basis);
  } else if (!quality.link_load_bound_basis.empty()) {
    bound = fmt::format("largest load        {}, lower bound {}\n", quality.link_load_max,
                        quality.link_load_bound_basis);
  }
  if (quality.timed_load_bound &&
      quality.timed_load_max != static_cast<double>(quality.link_load_max))
    bound +=
        fmt::format("by rate             {:.1f}, at least {:.1f}, in paths of the fastest link\n",
                    quality.timed_load_max, *quality.timed_load_bound);
  const std::string most =
      quality.alltoall_bound ? fmt::format(", at most {:.3f}", *quality.alltoall_bound) : "";
  return fmt::format(
             "hops                {} at most, {:.2f} on average; {} paths not minimal\n"
             "link load           {} at most, {:.1f} on average, deviation {:.1f}\n"
             "{}effective bisection {:.3f} of the full bandwidth, +/- {:.3f} (99%)\n",
             quality.hops_max, quality.hops_mean, quality.nonminimal, quality.link_load_max,
             quality.link_load_mean, quality.link_load_sd, bound, quality.ebb, quality.ebb_error) +
         chosen +
         fmt::format("all to all          {:.3f} of the full bandwidth{}\n", quality.alltoall,
                     most) +
         patterns_text(quality);
}

}  // namespace weft::cli
