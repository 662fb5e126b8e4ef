// Reports of `weft simulate`: notes and failures for people, JSON for programs.
#pragma once

#include <string>

#include "cli/common.h"
#include "congestion/metrics.h"
#include "congestion/permutation_bound.h"
#include "congestion/simulate.h"

namespace weft::cli {

/// `asked` is the number of runs that were wanted.
Json simulation_json(const RoutedNetwork& network, const Study& study, Metric metric,
                     const Tally& tally, std::uint64_t asked);

/// The pattern's levels, "0 -> 1" a line.
std::string pattern_text(const Study& study);

/// The hosts that take part, in the order of the subset, a name a line.
std::string hosts_text(const RoutedNetwork& network, const Study& study);

/// Channels that a permutation can send two messages over or more, the fullest first.
std::string bounds_text(const RoutedNetwork& network, std::span<const ChannelBound> bounds);
/// All channels, by id.
Json bounds_json(const RoutedNetwork& network, std::span<const ChannelBound> bounds);

}  // namespace weft::cli
