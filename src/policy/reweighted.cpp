// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/reweighted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "congestion/quality/quality.h"
#include "routing/reweight/parameter.h"

namespace weft {
namespace {

struct Variant {
  unsigned reweight;
  std::string_view about;
};
// If values are equal, the first variant is selected.
constexpr std::array kVariants{Variant{kReweightAuto, "all passes"},
                               Variant{kReweightFewMoves, "passes of few moves"},
                               Variant{0, "no passes"}};

bool has_choice(const Fabric& fabric, const Engine& engine, const RoutingOptions& options) {
  return options.parameters.of(kReweight) == kReweightAuto &&
         std::ranges::find(engine.parameters, kReweight.name, &EngineParameter::name) !=
             engine.parameters.end() &&
         passes_for(kReweightAuto, fabric.endport_count(), fabric.switch_count()) > 0;
}

}  // namespace

Result<Routes> route_for_objective(const Fabric& fabric, const Engine& engine,
                                   const RoutingOptions& options, Objective objective,
                                   const RunWithOptions& run) {
  if (!has_choice(fabric, engine, options)) return run(options);
  const QualityOptions measured =
      for_objective(objective, {.threads = options.threads, .seed = options.seed});
  std::vector<std::pair<Variant, Routes>> found;
  for (const Variant& variant : kVariants) {
    RoutingOptions with = options;
    with.parameters.set(kReweight, variant.reweight);
    auto routes = run(with);
    if (!routes) return routes;
    const bool is_new = std::ranges::none_of(
        found, [&](const auto& other) { return other.second.lfts == routes->lfts; });
    if (is_new) found.emplace_back(variant, std::move(*routes));
  }
  if (found.size() == 1) return std::move(found.front().second);
  std::vector<double> values;
  for (const auto& [variant, routes] : found)
    values.push_back(value_of(objective, assess(fabric, routes, measured)));
  const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  std::string note = fmt::format("reweighting: {} selected, objective {:.3f}",
                                 found[best].first.about, values[best]);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (i != best) note += fmt::format(", {:.3f} with {}", values[i], found[i].first.about);
  found[best].second.notes.push_back(std::move(note));
  return std::move(found[best].second);
}

}  // namespace weft
