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

/// The simulated levels of the pattern: a line "level 0:", then "0 -> 1" for each message, with its
/// size in parentheses if the pattern has sizes above 1.
std::string pattern_text(const Study& study);

/// The participating hosts, in the order of the subset, one per line: the name, and the label in
/// quotes.
std::string hosts_text(const RoutedNetwork& network, const Study& study);

/// Channels that at least two messages of one permutation can share, in descending order of the
/// largest number of such messages.
std::string bounds_text(const RoutedNetwork& network, std::span<const ChannelBound> bounds);
/// All channels of `bounds`, in its order.
Json bounds_json(const RoutedNetwork& network, std::span<const ChannelBound> bounds);

}  // namespace weft::cli
