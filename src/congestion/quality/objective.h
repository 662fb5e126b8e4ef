// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The figure of merit by which routes are compared: configuration key `objective`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "congestion/quality/quality.h"

namespace weft {

enum class Objective {
  kBisection,  // effective bisection
  kAllToAll,
  kShift,  // the worst shift
  /// Geometric mean of bisection, all to all and shifts; for shifts, the geometric mean of mean and
  /// worst shift, so that a collapse of the worst shift counts.
  kBalanced,
};

/// "bisection", "alltoall", "shift" or "balanced"; another text is a programming error.
Objective objective_of(std::string_view name);
/// Limit of the flows of the shifts that value_of() requires. The measurement of these shifts takes
/// less time than that of the matchings.
inline constexpr std::uint64_t kObjectiveShiftFlows = 400'000;

/// `options` with the measurement of the shifts as value_of() requires.
QualityOptions for_objective(Objective objective, QualityOptions options);
/// The value of the objective, 0 to 1; higher is better. 0 if the objective requires shifts that
/// were not measured.
double value_of(Objective objective, const Quality& quality);
/// For each matching, the value if the effective bisection were that of the matching alone. Used
/// for paired comparisons, because all engines are measured with the same matchings. Empty if the
/// objective does not depend on matchings.
std::vector<double> values_by_matching(Objective objective, const Quality& quality);
/// For each measured distance, the value if the mean of the shifts were the bandwidth of that
/// shift. All engines are measured with the same distances. Empty if the objective does not depend
/// on the mean of the shifts, or if all distances were measured, because that mean has no error.
std::vector<double> values_by_distance(Objective objective, const Quality& quality);
/// "effective bisection 0.634, all to all 1.000", and the shifts if they were measured.
std::string figures_text(const Quality& quality);

}  // namespace weft
