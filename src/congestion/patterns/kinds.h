// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The functions that make patterns, one for each kind; pattern.cpp has the table of their names.
#pragma once

#include "congestion/pattern.h"

namespace weft::patterns {

// classic.cpp: patterns of the ORCS report that depend on the number of ranks only
Result<Pattern> null(const PatternInput& input);
Result<Pattern> bisect(const PatternInput& input);
Result<Pattern> bisect_symmetric(const PatternInput& input);
Result<Pattern> tree(const PatternInput& input);
Result<Pattern> bruck(const PatternInput& input);
Result<Pattern> gather(const PatternInput& input);
Result<Pattern> scatter(const PatternInput& input);
Result<Pattern> ring(const PatternInput& input);
Result<Pattern> recursive_doubling(const PatternInput& input);

// random.cpp
Result<Pattern> random_permutation(const PatternInput& input);
Result<Pattern> receivers(const PatternInput& input);
Result<Pattern> random_sets(const PatternInput& input);

// neighbors.cpp
Result<Pattern> neighbors(const PatternInput& input);
Result<Pattern> neighbors_2(const PatternInput& input);
Result<Pattern> neighbors_4(const PatternInput& input);
Result<Pattern> neighbors_6(const PatternInput& input);
Result<Pattern> neighbors_2d(const PatternInput& input);
Result<Pattern> stencil_2d(const PatternInput& input);
Result<Pattern> stencil_3d(const PatternInput& input);

// exchange.cpp
Result<Pattern> shift(const PatternInput& input);
Result<Pattern> all_to_all(const PatternInput& input);

// trace.cpp
Result<Pattern> trace(const PatternInput& input);

// adversarial.cpp
Result<Pattern> adversarial(const PatternInput& input);

}  // namespace weft::patterns
