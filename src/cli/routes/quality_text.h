// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Quality metrics as JSON and as text.
#pragma once

#include <string>

#include "cli/common.h"
#include "congestion/quality.h"

namespace weft::cli {

inline Json quality_json(const Quality& quality) {
  return {{"hops_max", quality.hops_max},
          {"hops_mean", quality.hops_mean},
          {"nonminimal", quality.nonminimal},
          {"link_load_max", quality.link_load_max},
          {"link_load_mean", quality.link_load_mean},
          {"link_load_sd", quality.link_load_sd},
          {"link_load_bound", quality.link_load_bound ? Json(*quality.link_load_bound) : Json()},
          {"link_load_bound_basis",
           quality.link_load_bound_basis.empty() ? Json() : Json(quality.link_load_bound_basis)},
          {"ebb", quality.ebb},
          {"ebb_adaptive", quality.ebb_adaptive ? Json(*quality.ebb_adaptive) : Json()}};
}

inline std::string quality_text(const Quality& quality) {
  const std::string chosen =
      quality.ebb_adaptive
          ? fmt::format(
                "                    {:.3f} with adaptive routing to the least loaded port\n",
                *quality.ebb_adaptive)
          : "";
  std::string bound;
  if (quality.link_load_bound) {
    bound = fmt::format("largest load        {}, at least {} with {}\n", quality.link_load_max,
                        *quality.link_load_bound, quality.link_load_bound_basis);
  } else if (!quality.link_load_bound_basis.empty()) {
    bound = fmt::format("largest load        {}, lower bound {}\n", quality.link_load_max,
                        quality.link_load_bound_basis);
  }
  return fmt::format(
             "hops                {} at most, {:.2f} on average; {} paths not minimal\n"
             "link load           {} at most, {:.1f} on average, deviation {:.1f}\n"
             "{}effective bisection {:.3f} of the full bandwidth\n",
             quality.hops_max, quality.hops_mean, quality.nonminimal, quality.link_load_max,
             quality.link_load_mean, quality.link_load_sd, bound, quality.ebb) +
         chosen;
}

}  // namespace weft::cli
