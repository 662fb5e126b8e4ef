// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Networks and studies for the tests of the simulator.
#pragma once

#include <string>

#include "congestion/simulate.h"
#include "support/walks.h"

namespace weft {

RoutedNetwork routed(const Fabric& fabric);

Result<RoutedNetwork> read_graph(const std::string& text, std::string* warning = nullptr,
                                 DotEcho* echo = nullptr);

RoutedNetwork graph(const std::string& text);

StudySpec study_of(const std::string& pattern);

Tally simulated(const RoutedNetwork& network, const StudySpec& spec, std::uint64_t runs,
                unsigned threads = 1);

}  // namespace weft
