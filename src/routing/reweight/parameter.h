// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The parameter --reweight of the engines that reweight.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "routing/parameters.h"

namespace weft {

inline constexpr unsigned kReweightMost = 100;
/// Requests as many passes as take little time. policy/reweighted.h discards their result if the
/// objective has a higher value without passes.
inline constexpr unsigned kReweightAuto = kReweightMost + 1;

inline constexpr EngineParameter kReweight{.name = "reweight",
                                           .option = "--reweight",
                                           .most = kReweightAuto,
                                           .about =
                                               "Number of passes that move paths away from the "
                                               "most loaded links; auto: up to 24, or none if "
                                               "the value of the objective is higher "
                                               "without passes."};

/// Parses "auto" or a number from 0 to kReweightMost. Fails with kBadInput "found .., expected .."
/// on other text.
Result<unsigned> parse_reweight(std::string_view text);

/// The number of passes for a value of the parameter, on a fabric with this many trees and
/// switches.
unsigned passes_for(unsigned reweight, std::size_t trees, std::size_t switches);

}  // namespace weft
