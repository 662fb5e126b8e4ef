// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/reweighted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "congestion/quality/quality.h"
#include "policy/automatic.h"
#include "routing/reweight/parameter.h"

namespace weft {
namespace {

struct Variant {
  unsigned reweight;
  std::string_view about;
};
// With the balanced objective, the variant without passes is selected only if its value is higher
// by more than this part: passes reduce the largest load, which is worth a small loss.
constexpr double kTie = 0.01;
// Fewer matchings and flows of shifts than in comparisons of engines: all variants are measured
// with the same matchings and flows, so that differences are more exact than values.
constexpr unsigned kMatchings = 25;
constexpr std::uint64_t kShiftFlows = kObjectiveShiftFlows / 4;
constexpr std::array kVariants{Variant{kReweightAuto, "all passes"}, Variant{0, "no passes"}};

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
  QualityOptions measured =
      figures_for(fabric, objective,
                  {.threads = options.threads, .seed = options.seed, .matchings = kMatchings});
  measured.shift_flows = kShiftFlows;
  // With all passes first: some engines then store the routes without passes.
  RoutingOptions with = options;
  with.before_passes = std::make_shared<BeforePasses>();
  std::vector<std::pair<Variant, Routes>> found;
  for (const Variant& variant : kVariants) {
    with.parameters.set(kReweight, variant.reweight);
    auto routes = run(with);
    if (!routes || with.before_passes->unchanged) return routes;
    const bool is_new = std::ranges::none_of(
        found, [&](const auto& other) { return other.second.lfts == routes->lfts; });
    if (is_new) found.emplace_back(variant, std::move(*routes));
  }
  if (found.size() == 1) return std::move(found.front().second);
  std::vector<double> values;
  for (const auto& [variant, routes] : found)
    values.push_back(value_of(objective, assess(fabric, routes, measured)));
  const double tie = objective == Objective::kBalanced ? kTie : 0;
  const std::size_t best = values.back() > values.front() * (1 + tie) ? values.size() - 1 : 0;
  std::string note = fmt::format("reweighting: {} selected, objective {:.3f}",
                                 found[best].first.about, values[best]);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (i != best) note += fmt::format(", {:.3f} with {}", values[i], found[i].first.about);
  found[best].second.notes.push_back(std::move(note));
  return std::move(found[best].second);
}

}  // namespace weft
