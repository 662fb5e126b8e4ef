// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/congestion/networks.h"

#include <utility>

#include "base/check.h"
#include "routing/minhop.h"

namespace weft {

RoutedNetwork routed(const Fabric& fabric) {
  const auto routes = route_minhop(fabric, {});
  CHECK(routes.has_value());
  auto network = network_of(fabric, routes->lfts);
  CHECK(network.has_value());
  return std::move(*network);
}

Result<RoutedNetwork> read_graph(const std::string& text, std::string* warning, DotEcho* echo) {
  LineReader lines = LineReader::over(text, "g.dot");
  Warnings warnings;
  auto network = read_routed_dot(lines, warnings, echo);
  if (warning != nullptr) {
    warning->clear();
    for (const std::string& line : warnings.take()) *warning += line + "\n";
  }
  return network;
}

RoutedNetwork graph(const std::string& text) {
  auto network = read_graph(text);
  CHECK(network.has_value());
  return std::move(*network);
}

StudySpec study_of(const std::string& pattern) {
  StudySpec spec;
  spec.pattern.name = pattern;
  return spec;
}

Tally simulated(const RoutedNetwork& network, const StudySpec& spec, std::uint64_t runs,
                unsigned threads) {
  const auto study = make_study(network, spec);
  CHECK(study.has_value());
  return run_simulation(network, *study, 0, runs, {.threads = threads});
}

}  // namespace weft
