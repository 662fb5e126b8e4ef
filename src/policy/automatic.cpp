// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "congestion/metrics.h"
#include "routing/engine.h"

namespace weft {
namespace {

constexpr double kAsGood = 0.995;
constexpr double kCanBeAsGood = 0.9;
constexpr double kFull = 1 - 1e-9;
constexpr double kShown = 0.0005;  // half a unit of the last digit in texts
// Routing, verification and measurement take about 0.1 us for each table entry.
constexpr std::uint64_t kEntriesForAll = 20'000'000;
constexpr std::size_t kCandidatesOfLarge = 3;

/// The engines that need no files; fast engines first.
std::vector<std::string_view> automatic_engines() {
  std::vector<const Engine*> found;
  for (const Engine& engine : engines())
    if (engine.traits.automatic > 0) found.push_back(&engine);
  std::ranges::sort(found, {}, [](const Engine* engine) { return engine->traits.automatic; });
  std::vector<std::string_view> names;
  for (const Engine* engine : found) names.push_back(engine->name);
  return names;
}

std::vector<std::string_view> preferred_engines(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::kSingleSwitch:
      return {"minhop"};
    case TopologyKind::kTree:
    case TopologyKind::kQuasiTree:
      return {"ftree", "updn", "minhop", "nue", "dfsssp", "lash"};
    case TopologyKind::kHypercube:
    case TopologyKind::kMesh:
      return {"dor", "nue", "lash", "dfsssp", "updn"};
    case TopologyKind::kTorus:
      return {"lash", "dfsssp", "nue", "updn"};
    case TopologyKind::kDragonfly:
    case TopologyKind::kDragonflyPlus:
      return {"dfp", "dfsssp", "lash", "nue", "updn"};
    case TopologyKind::kHammingMesh:
      return {"hoplanes", "nue", "dfsssp", "lash", "updn"};
    case TopologyKind::kHyperX:
    case TopologyKind::kDiameterTwo:
    case TopologyKind::kIrregular:
      return {"dfsssp", "lash", "nue", "updn", "dnup"};
  }
  return {};
}

}  // namespace

bool is_large(const Fabric& fabric) {
  return std::uint64_t{fabric.switch_count()} * fabric.endport_count() > kEntriesForAll;
}

std::vector<std::string_view> candidates_for(const Fabric& fabric, const Topology& topology,
                                             bool torus_described) {
  std::vector<std::string_view> names = preferred_engines(topology.kind);
  if (topology.kind == TopologyKind::kSingleSwitch) return names;  // all routes are equal
  if (torus_described) names.insert(names.begin(), "torus-2QoS");
  if (is_large(fabric)) {
    names.resize(std::min(names.size(), kCandidatesOfLarge));
    return names;
  }
  for (const std::string_view name : automatic_engines())
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

bool is_omitted_by_size(const Fabric& fabric, const Topology& topology, std::string_view engine,
                        bool torus_described) {
  const auto contains = [&](const std::vector<std::string_view>& names) {
    return std::ranges::find(names, engine) != names.end();
  };
  return is_large(fabric) && contains(automatic_engines()) &&
         !contains(candidates_for(fabric, topology, torus_described));
}

QualityOptions figures_for(const Fabric& fabric, Objective objective, QualityOptions options) {
  options = for_objective(objective, std::move(options));
  if (options.shifts) options.groups = group_by_switch(fabric);
  return options;
}

namespace {

Statistics differences(const std::vector<double>& high, const std::vector<double>& low) {
  std::vector<double> less;
  for (std::size_t i = 0; i < std::min(high.size(), low.size()); ++i)
    less.push_back(high[i] - low[i]);
  return statistics(less);
}

}  // namespace

Shortfall shortfall(const Trial& trial, const Trial& best) {
  const Statistics matchings = differences(best.by_matching, trial.by_matching);
  const Statistics distances = differences(best.by_distance, trial.by_distance);
  // Matchings and distances are independent samples.
  const double error =
      std::hypot(matchings.error99, distances.error99 * std::sqrt(trial.unmeasured));
  return {matchings.count > 0 ? matchings.mean : best.value - trial.value, error};
}

bool is_as_good(const Trial& trial, double most) { return trial.value >= kAsGood * most; }

bool is_as_good(const Trial& trial, const Trial& best) {
  if (is_as_good(trial, best.value)) return true;
  const Shortfall less = shortfall(trial, best);
  return can_be_as_good(trial, best.value) && less.mean <= less.error;
}

bool can_be_as_good(const Trial& trial, double most) { return trial.value >= kCanBeAsGood * most; }

namespace {

/// Grade of routes for clients that ignore the SL, 0 to 2; a higher grade is better.
int safety(const Trial& trial) {
  if ((trial.single_sls & 1) != 0) return 2;  // clients that ignore the SL send with SL 0
  return trial.single_sls != 0 ? 1 : 0;
}

/// Whether all figures of the objective except the effective bisection were measured and have their
/// maximum.
bool is_full_but_bisection(Objective objective, const Quality& quality) {
  const bool shifts = quality.shifts && quality.shifts->worst >= kFull;
  return objective != Objective::kBisection && quality.alltoall >= kFull && shifts;
}

std::string figures(const Trial& trial) {
  return fmt::format("{}, {} VL{}, {}", trial.figures, trial.vls, trial.vls == 1 ? "" : "s",
                     one_sl_text(trial));
}

}  // namespace

bool has_highest_value(const Topology& topology, Objective objective, const Trial& trial,
                       const Quality& quality) {
  if (safety(trial) < 2) return false;
  return trial.value >= kFull ||
         (topology.kind == TopologyKind::kTree && is_full_but_bisection(objective, quality));
}

std::string_view one_sl_text(const Trial& trial) {
  constexpr std::array<std::string_view, 3> kTexts{"not free of deadlock on one SL",
                                                   "free of deadlock on one SL other than 0",
                                                   "free of deadlock on one SL"};
  return kTexts[static_cast<std::size_t>(safety(trial))];
}

std::size_t best_of(const std::vector<Trial>& trials) {
  const Trial& most = *std::ranges::max_element(trials, {}, &Trial::value);
  std::size_t best = trials.size();
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (is_as_good(trials[i], most) &&
        (best == trials.size() || safety(trials[i]) > safety(trials[best])))
      best = i;
  return best;
}

std::string describe_choice(const Topology& topology, const std::vector<Trial>& trials,
                            std::size_t best) {
  std::string text =
      fmt::format("{}: {} ({})", topology.about, trials[best].engine, figures(trials[best]));
  const Trial& most = *std::ranges::max_element(trials, {}, &Trial::value);
  for (std::size_t i = 0; i < best; ++i)
    if (is_as_good(trials[i], most)) {
      text +=
          fmt::format(", preferred to {} with routes that can deadlock if clients ignore the SL",
                      trials[i].engine);
      break;
    }
  const Trial* next = nullptr;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (i != best && (next == nullptr || trials[i].value > next->value)) next = &trials[i];
  if (next == nullptr && trials[best].ends_search)
    return text + "; no other engine is tried, since none has a higher value";
  if (next == nullptr && topology.kind == TopologyKind::kSingleSwitch)
    return text + "; no other engine is tried, since all routes are equal";
  if (next == nullptr) return text + "; no other engine succeeds";
  text += fmt::format("; next best {} ({})", next->engine, figures(*next));
  const Shortfall less = shortfall(*next, trials[best]);
  if (std::abs(less.mean) < kShown && less.error < kShown) return text;
  text += fmt::format(", {} by {:.3f}", less.mean < 0 ? "more" : "less", std::abs(less.mean));
  return next->by_matching.empty() ? text : text + fmt::format(" +/- {:.3f}", less.error);
}

}  // namespace weft
