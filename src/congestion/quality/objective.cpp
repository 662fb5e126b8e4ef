// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/check.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 4> kNames{"bisection", "alltoall", "shift", "balanced"};

}  // namespace

Objective objective_of(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  CHECK(found != kNames.end());
  return static_cast<Objective>(found - kNames.begin());
}

QualityOptions for_objective(Objective objective, QualityOptions options) {
  options.shifts = objective == Objective::kShift || objective == Objective::kBalanced;
  options.shift_flows = kObjectiveShiftFlows;
  return options;
}

double value_of(Objective objective, const Quality& quality) {
  switch (objective) {
    case Objective::kBisection:
      break;
    case Objective::kAllToAll:
      return quality.alltoall;
    case Objective::kShift:
      return quality.shifts ? quality.shifts->worst : 0;
    case Objective::kBalanced:
      return quality.shifts ? std::cbrt(quality.ebb * quality.alltoall *
                                        std::sqrt(quality.shifts->mean * quality.shifts->worst))
                            : 0;
  }
  return quality.ebb;
}

std::vector<double> values_by_matching(Objective objective, const Quality& quality) {
  if (objective != Objective::kBisection && objective != Objective::kBalanced) return {};
  const double most = quality.ebb;
  const double value = value_of(objective, quality);
  std::vector<double> values;
  for (const double one : quality.matchings) {
    const double share = most > 0 ? one / most : 0;
    values.push_back(value * (objective == Objective::kBisection ? share : std::cbrt(share)));
  }
  return values;
}

std::vector<double> values_by_distance(Objective objective, const Quality& quality) {
  std::vector<double> values;
  if (objective != Objective::kBalanced || !quality.shifts || quality.shifts->unmeasured <= 0)
    return values;
  Quality one{.ebb = quality.ebb, .alltoall = quality.alltoall, .shifts = quality.shifts};
  for (const double bandwidth : std::span(quality.shifts->bandwidths).first(quality.shifts->even)) {
    one.shifts->mean = bandwidth;
    values.push_back(value_of(objective, one));
  }
  return values;
}

std::string figures_text(const Quality& quality) {
  std::string text =
      fmt::format("effective bisection {:.3f}, all to all {:.3f}", quality.ebb, quality.alltoall);
  if (quality.shifts)
    text +=
        fmt::format(", shifts {:.3f}, worst {:.3f}", quality.shifts->mean, quality.shifts->worst);
  return text;
}

}  // namespace weft
