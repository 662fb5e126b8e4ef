#include "sm/route_chain.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/nearest.h"
#include "base/text.h"
#include "congestion/quality.h"
#include "routing/shared/switch_reach.h"
#include "sm/automatic.h"
#include "verify/complaint.h"

namespace weft {
namespace {

constexpr std::string_view kNoFallback = "no_fallback";

std::string engine_names() {
  std::string names(kAutomatic);
  for (const Engine& engine : engines()) names += fmt::format(", {}", engine.name);
  return names;
}

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names{kAutomatic, kNoFallback};
  for (const Engine& engine : engines()) names.push_back(engine.name);
  return did_you_mean(name, names);
}

void judge(const Fabric& fabric, const RoutingOptions& options, ChainResult& result) {
  const Stopwatch verifying;
  result.verdict = verify(fabric, result.routes,
                          {.threads = options.threads,
                           .groups = options.groups,
                           .ignore_replies = options.ignore_replies});
  result.verify_seconds += verifying.seconds();
}

/// Whether every SL of the routes takes the VL that their engine gave it: then no proof is needed.
bool same_lanes(const Routes& routes, const Sl2Vl& wanted) {
  return wanted.uniform() && std::ranges::equal(std::span(wanted.common()).first(routes.vls),
                                                std::span(routes.sl2vl.common()).first(routes.vls));
}

/// Judges routes with the maps that the administrator wants, if there are such, else, or where they
/// do not serve, with the engine's own.
void judge_lanes(const Fabric& fabric, const RoutingOptions& options, VerifyMode mode,
                 const WantedMaps* wanted, ChainResult& result) {
  if (wanted != nullptr && !result.routes.sl2vl.uniform()) wanted = nullptr;
  if (mode == VerifyMode::kOff) {
    if (wanted == nullptr) return;
    if (result.routes.vls == 1 || same_lanes(result.routes, wanted->sl2vl))
      result.routes.sl2vl = wanted->sl2vl;
    else
      result.warnings.push_back(
          fmt::format("SL2VL of {} is not used: the routes of '{}' need lanes, and nobody verifies "
                      "them with it",
                      wanted->key, result.routes.engine));
    return;
  }
  std::optional<Sl2Vl> own;
  if (wanted != nullptr) own = std::exchange(result.routes.sl2vl, wanted->sl2vl);
  judge(fabric, options, result);
  const std::string why = all_complaints(result.verdict);
  if (!own || why.empty()) return;
  Verdict with_wanted = std::exchange(result.verdict, {});
  std::swap(*own, result.routes.sl2vl);
  judge(fabric, options, result);
  if (all_complaints(result.verdict) == why) {  // the maps are not to blame
    result.routes.sl2vl = std::move(*own);
    result.verdict = std::move(with_wanted);
    return;
  }
  result.warnings.push_back(
      fmt::format("SL2VL of {} is not used, but that of '{}': with it there is {}", wanted->key,
                  result.routes.engine, why));
}

/// Where the judge refuses adaptive routes and not the tables alone, the tables alone are the
/// routes and a warning says so.
void drop_adaptive_if_refused(const Fabric& fabric, const RoutingOptions& options,
                              ChainResult& result) {
  if (!result.routes.adaptive || result.verdict.ok()) return;
  auto adaptive = std::exchange(result.routes.adaptive, std::nullopt);
  Verdict refused = std::exchange(result.verdict, {});
  judge(fabric, options, result);
  if (!result.verdict.ok()) {  // choice is not to blame
    result.routes.adaptive = std::move(adaptive);
    result.verdict = std::move(refused);
    return;
  }
  result.warnings.push_back(
      fmt::format("adaptive routing is off: with the choices that switches would have there is {}",
                  complaint(refused)));
}

/// Shortest paths to and from spines of a damaged tree may turn where those between CAs do not.
void reconnect_switches_if_they_fail(const Fabric& fabric, const RoutingOptions& options,
                                     VerifyMode mode, const WantedMaps* wanted,
                                     ChainResult& result) {
  const Verdict& verdict = result.verdict;
  if (!verdict.verified || verdict.switches_ok() || verdict.has_credit_loop()) return;
  if (reconnect_switches(fabric, result.routes, options.threads)) judge_lanes(fabric, options, mode, wanted, result);
}

/// One engine: true, and its routes in the result, if they may be used; else why not.
bool attempt(const Fabric& fabric, const Engine& engine, const RoutingOptions& options,
             VerifyMode mode, const WantedMaps* wanted, ChainResult& result) {
  const std::string kept = options.previous ? " (keeping what was in force)" : "";
  const Stopwatch routing;
  auto routes = run_engine(engine, fabric, options);
  result.route_seconds = routing.seconds();
  result.verify_seconds = 0;
  result.warnings.clear();
  if (!routes) {
    result.failed.push_back({std::string(engine.name), routes.error().message + kept});
    return false;
  }
  result.routes = std::move(*routes);
  judge_lanes(fabric, options, mode, wanted, result);
  if (engine.name != "file") reconnect_switches_if_they_fail(fabric, options, mode, wanted, result);
  if (mode != VerifyMode::kOff) drop_adaptive_if_refused(fabric, options, result);
  if (mode != VerifyMode::kEnforce || result.verdict.ok()) return true;
  result.failed.push_back(
      {std::string(engine.name), "its routes were refused: " + complaint(result.verdict) + kept});
  return false;
}

/// "auto": the engine that made `previous` goes on, and keeps what need not change, for as long as
/// it is a candidate and its routes pass the proof. Else all candidates route, and of what passes,
/// which `mode` has no say in, the best is taken. True, and its routes in the result, if any does.
bool choose(const Fabric& fabric, RoutingOptions& options, EngineFinder find,
            const WantedMaps* wanted, std::optional<Lfts>& previous, ChainResult& result) {
  const Topology topology = recognise(fabric);
  const auto candidates = candidates_for(fabric, topology, options.torus.has_value());
  const auto route = [&](std::string_view name) {
    const Engine* engine = find(name);
    std::optional<ChainResult> one(std::in_place);
    if (engine == nullptr || !attempt(fabric, *engine, options, VerifyMode::kEnforce, wanted, *one))
      one.reset();
    return one;
  };
  const auto take = [&](ChainResult& one, std::string choice) {
    one.failed = std::move(result.failed);
    one.choice = std::move(choice);
    result = std::move(one);
    return true;
  };
  if (previous && std::ranges::find(candidates, options.previous_engine) != candidates.end()) {
    options.previous = std::exchange(previous, std::nullopt);
    auto kept = route(options.previous_engine);
    options.previous.reset();
    if (kept) return take(*kept, fmt::format("{} goes on", options.previous_engine));
  }
  std::vector<Trial> trials;
  std::vector<ChainResult> results;
  for (const std::string_view name : candidates) {
    auto one = route(name);
    if (!one) continue;
    const Quality quality = assess(fabric, one->routes, {.threads = options.threads});
    trials.push_back({std::string(name), quality.ebb, one->routes.vls_needed});
    results.push_back(std::move(*one));
  }
  if (trials.empty()) {
    result.failed.push_back({std::string(kAutomatic),
                             fmt::format("{}: no engine's routes pass the proof", topology.about)});
    return false;
  }
  const std::size_t best = best_of(trials);
  return take(results[best], tell(topology, trials, best));
}

/// One engine by its name: with what `previous` holds if it made that, and then without.
bool try_engine(const Fabric& fabric, const std::string& name, RoutingOptions& options,
                VerifyMode mode, EngineFinder find, const WantedMaps* wanted,
                std::optional<Lfts>& previous, ChainResult& result) {
  const Engine* engine = find(name);
  if (engine == nullptr) {
    result.failed.push_back({name, "there is no engine of that name"});
    return false;
  }
  if (name == options.previous_engine) options.previous = std::exchange(previous, std::nullopt);
  if (attempt(fabric, *engine, options, mode, wanted, result)) return true;
  if (!options.previous) return false;
  options.previous.reset();
  return attempt(fabric, *engine, options, mode, wanted, result);
}

}  // namespace

Result<EngineChoice> parse_engine_choice(std::string_view text) {
  EngineChoice choice;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view name = trim(part);
    if (name == kNoFallback) {
      choice.fallback = false;
    } else if (name == kAutomatic || find_engine(name) != nullptr) {
      choice.engines.emplace_back(name);
    } else {
      return fail(Code::kUsage,
                  "routing engine '{}' is not known{}; there are: {}, and 'no_fallback'", name,
                  suggestion(name), engine_names());
    }
  }
  if (choice.engines.empty()) choice.engines.emplace_back(kDefaultEngine);
  return choice;
}

std::string describe(const RoutedStep& step) {
  const std::string where =
      step.topology == 0 ? "the whole fabric" : fmt::format("topology {}", step.topology);
  if (!step.failed.empty())
    return fmt::format("{} on {} did not serve: {}", step.engine, where, step.failed);
  return fmt::format("{} on {}: {} switches, {} hosts", step.engine, where, step.switches,
                     step.hosts);
}

ChainResult route_by_chain(const Fabric& fabric, const EngineChoice& choice, RoutingOptions options,
                           VerifyMode mode, EngineFinder find, std::span<const Option> given,
                           const WantedMaps* wanted) {
  std::vector<std::string> names = choice.engines;
  if (choice.fallback && std::ranges::find(names, kFallbackEngine) == names.end())
    names.emplace_back(kFallbackEngine);

  ChainResult result;
  std::optional<Lfts> previous = std::exchange(options.previous, std::nullopt);
  for (const std::string& name : names) {
    const bool automatic = name == kAutomatic;
    if (automatic ? !choose(fabric, options, find, wanted, previous, result)
                  : !try_engine(fabric, name, options, mode, find, wanted, previous, result))
      continue;
    for (std::string& warning : unheeded(automatic ? result.routes.engine : name, given, options))
      result.warnings.push_back(std::move(warning));
    return result;
  }
  std::string tried;
  for (const EngineAttempt& attempt : result.failed)
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", attempt.engine, attempt.reason);
  result.routes = {};
  result.verdict = {};
  result.status = fail(Code::kUnroutable, "no routing engine served: {}", tried);
  return result;
}

}  // namespace weft
