// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reports of `weft simulate` as text and JSON.
#pragma once

#include <string>

#include "cli/common.h"
#include "congestion/metrics.h"
#include "congestion/permutation_bound.h"
#include "congestion/simulate.h"

namespace weft::cli {

/// `runs_asked`: the requested number of runs.
Json simulation_json(const RoutedNetwork& network, const Study& study, Metric metric,
                     const Tally& tally, std::uint64_t runs_asked);

/// The levels of the pattern, one "0 -> 1" per line.
std::string pattern_text(const Study& study);

/// The participating hosts, in the order of the subset, one name per line.
std::string hosts_text(const RoutedNetwork& network, const Study& study);

/// Channels that at least two messages of one permutation can share, in descending order of the
/// largest number of such messages.
std::string bounds_text(const RoutedNetwork& network, std::span<const ChannelBound> bounds);
/// All channels, ordered by id.
Json bounds_json(const RoutedNetwork& network, std::span<const ChannelBound> bounds);

}  // namespace weft::cli
