// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Networks and studies for the tests of the simulator.
#pragma once

#include <string>

#include "congestion/simulate.h"
#include "support/walks.h"

namespace weft {

/// The network of a fabric with routes of minhop.
RoutedNetwork routed(const Fabric& fabric);

/// Reads a graph in the format of ORCS as the file "g.dot". `warning` receives the warnings, one on
/// each line.
Result<RoutedNetwork> read_graph(const std::string& text, std::string* warning = nullptr,
                                 DotEcho* echo = nullptr);

/// The network of a graph without errors in the format of ORCS.
RoutedNetwork graph(const std::string& text);

/// A study of this pattern with default values.
StudySpec study_of(const std::string& pattern);

/// The tally of runs 0 to `runs` - 1 of a valid study.
Tally simulated(const RoutedNetwork& network, const StudySpec& spec, std::uint64_t runs,
                unsigned threads = 1);

}  // namespace weft
