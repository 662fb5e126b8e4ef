// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/route_chain.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/nearest.h"
#include "base/text.h"
#include "policy/automatic.h"
#include "policy/engine_trial.h"
#include "policy/reweighted.h"
#include "routing/deadlock/switch_reach.h"
#include "routing/multicast.h"
#include "routing/parts/parts.h"
#include "verify/failure_text.h"

namespace weft {
namespace {

constexpr std::string_view kNoFallback = "no_fallback";
constexpr std::size_t kPartsNamed = 8;

std::string plural(std::uint32_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string names_of_engines() {
  std::string names(kAutomatic);
  for (const Engine& engine : engines()) names += fmt::format(", {}", engine.name);
  return names;
}

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names{kAutomatic, kNoFallback};
  for (const Engine& engine : engines()) names.push_back(engine.name);
  return did_you_mean(name, names);
}

void verify_result(const Fabric& fabric, const RoutingOptions& options,
                   const ChainVerification& verification, ChainResult& result) {
  const Stopwatch verifying;
  const VerifyOptions how{.threads = options.threads,
                          .groups = options.groups,
                          .ignore_replies = options.ignore_replies};
  auto verified = verification.verifier != nullptr
                      ? verification.verifier->verify(fabric, result.routes, how)
                      : IncrementalVerifier::Result{verify(fabric, result.routes, how)};
  result.verdict = std::move(verified.verdict);
  result.dependencies = std::move(verified.dependencies);
  result.verified_changes_only = verified.only_changes;
  result.verify_seconds += verifying.seconds();
}

/// Whether `wanted` maps every SL of the routes to the VL that the engine assigned. Then `wanted`
/// needs no verification.
bool has_same_vls(const Routes& routes, const Sl2Vl& wanted) {
  return wanted.uniform() && std::ranges::equal(std::span(wanted.common()).first(routes.vls),
                                                std::span(routes.sl2vl.common()).first(routes.vls));
}

/// Verifies routes with the administrator's maps, if there are any and the engine has one map for
/// all ports; otherwise, or if the verification fails, with the maps of the engine. If verification
/// finds the same failures with both, the administrator's maps stay. Without verification, uses the
/// administrator's maps only for routes on one VL, or if the maps assign the same VLs.
void verify_lane_maps(const Fabric& fabric, const RoutingOptions& options, VerifyMode mode,
                      const ChainVerification& verification, ChainResult& result) {
  const WantedMaps* const wanted = result.routes.sl2vl.uniform() ? verification.wanted : nullptr;
  if (mode == VerifyMode::kOff) {
    if (wanted == nullptr) return;
    if (result.routes.vls == 1 || has_same_vls(result.routes, wanted->sl2vl))
      result.routes.sl2vl = wanted->sl2vl;
    else
      result.warnings.push_back(
          fmt::format("SL2VL of {} is not used: the routes of '{}' need several VLs, and are not "
                      "verified with it",
                      wanted->key, result.routes.engine));
    return;
  }
  std::optional<Sl2Vl> own;
  if (wanted != nullptr) own = std::exchange(result.routes.sl2vl, wanted->sl2vl);
  verify_result(fabric, options, verification, result);
  const std::string why = all_failures(result.verdict);
  if (!own || why.empty()) return;
  Verdict with_wanted = std::exchange(result.verdict, {});
  auto dependencies = std::exchange(result.dependencies, std::nullopt);
  const bool changes_only = result.verified_changes_only;
  std::swap(*own, result.routes.sl2vl);
  verify_result(fabric, options, verification, result);
  if (all_failures(result.verdict) == why) {  // the maps are not the cause
    result.routes.sl2vl = std::move(*own);
    result.verdict = std::move(with_wanted);
    result.dependencies = std::move(dependencies);
    result.verified_changes_only = changes_only;
    return;
  }
  result.warnings.push_back(fmt::format(
      "SL2VL of {} is not used: it fails verification: {}; SL2VL of '{}' is used instead",
      wanted->key, why, result.routes.engine));
}

/// If adaptive routes fail verification but the plain tables pass, uses the plain tables, with a
/// warning.
void drop_adaptive_if_refused(const Fabric& fabric, const RoutingOptions& options,
                              const ChainVerification& verification, ChainResult& result) {
  if (!result.routes.adaptive || result.verdict.ok()) return;
  auto adaptive = std::exchange(result.routes.adaptive, std::nullopt);
  Verdict refused = std::exchange(result.verdict, {});
  verify_result(fabric, options, verification, result);
  if (!result.verdict.ok()) {  // the AR groups are not the cause
    result.routes.adaptive = std::move(adaptive);
    result.verdict = std::move(refused);
    return;
  }
  result.warnings.push_back(fmt::format("adaptive routing is off: its groups fail verification: {}",
                                        failure_text(refused)));
}

/// Replaces paths to and from port 0 of switches if they fail verification. In a degraded tree,
/// shortest paths to and from spines may have an up hop after a down hop although the paths between
/// CAs have none. The multicast trees are planned again, because they must close no cycle with the
/// new paths.
void reconnect_switches_if_they_fail(const Fabric& fabric, const RoutingOptions& options,
                                     VerifyMode mode, const ChainVerification& verification,
                                     ChainResult& result) {
  const Verdict& verdict = result.verdict;
  if (!verdict.verified || verdict.switches_ok() || verdict.has_credit_loop()) return;
  if (!reconnect_switches(fabric, result.routes, options.threads)) return;
  if (auto trees = plan_multicast(fabric, result.routes, options, options.groups))
    add_multicast(std::move(*trees), result.routes);
  verify_lane_maps(fabric, options, mode, verification, result);
}

/// Like attempt(), with the plain variant of an engine after its adaptive routes were rejected.
bool attempt_without_groups(const Fabric& fabric, const Engine& engine,
                            const RoutingOptions& options, Objective objective,
                            const ChainVerification& verification, ChainResult& result);

/// Runs one engine. If its routes are accepted, stores them in the result and returns true.
/// Otherwise adds the reason to the failed attempts and returns false.
bool attempt(const Fabric& fabric, const Engine& engine, const RoutingOptions& options,
             Objective objective, VerifyMode mode, const ChainVerification& verification,
             ChainResult& result) {
  const std::string kept = options.previous ? " (keeping active routes)" : "";
  const Stopwatch routing;
  auto routes =
      route_for_objective(fabric, engine, options, objective, [&](const RoutingOptions& with) {
        auto whole = run_engine(engine, fabric, with);
        if (!whole && result.parts.size() > 1 && !engine.traits.whole_fabric)
          return run_engine_by_parts(engine, fabric, with);
        return whole;
      });
  result.route_seconds = routing.seconds();
  result.verify_seconds = 0;
  result.warnings.clear();
  if (!routes) {
    result.failed.push_back({std::string(engine.name), routes.error().message + kept});
    return false;
  }
  result.routes = std::move(*routes);
  verify_lane_maps(fabric, options, mode, verification, result);
  if (!engine.traits.is_final)
    reconnect_switches_if_they_fail(fabric, options, mode, verification, result);
  if (mode != VerifyMode::kOff) drop_adaptive_if_refused(fabric, options, verification, result);
  if (mode != VerifyMode::kEnforce || serves(result.verdict)) return true;
  const std::string why = "its routes were rejected: " + failure_text(result.verdict) + kept;
  if (result.routes.adaptive &&
      attempt_without_groups(fabric, engine, options, objective, verification, result)) {
    result.warnings.push_back(fmt::format("adaptive routing is off: {}: {}", engine.name, why));
    return true;
  }
  result.failed.push_back({std::string(engine.name), why});
  return false;
}

/// The dependencies of adaptive routing may exclude paths to or from a switch in a damaged fabric.
bool attempt_without_groups(const Fabric& fabric, const Engine& engine,
                            const RoutingOptions& options, Objective objective,
                            const ChainVerification& verification, ChainResult& result) {
  const Engine* const plain = find_engine(plain_engine(engine.name));
  const bool is_requested = options.adaptive && options.adaptive->enabled;
  if (plain == nullptr || (plain == &engine && !is_requested)) return false;
  RoutingOptions without = options;
  if (is_requested) without.adaptive->enabled = false;
  const std::size_t failed = result.failed.size();
  const bool is_accepted =
      attempt(fabric, *plain, without, objective, VerifyMode::kEnforce, verification, result);
  result.failed.resize(failed);
  return is_accepted;
}

ChainResult empty_result(const Fabric& fabric) {
  ChainResult result;
  for (const PartSize& size : part_sizes(fabric))
    result.parts.push_back({size.switches, size.cas, {}});
  return result;
}

/// Runs one engine and rejects routes that fail verification.
ChainResult prove_alone(const Fabric& fabric, std::string_view name, const RoutingOptions& options,
                        Objective objective, EngineFinder find,
                        const ChainVerification& verification) {
  ChainResult result = empty_result(fabric);
  const Engine* engine = find(name);
  if (engine == nullptr)
    result.failed.push_back({std::string(name), "there is no engine of that name"});
  else if (attempt(fabric, *engine, options, objective, VerifyMode::kEnforce, verification, result))
    return result;
  result.status = fail(Code::kUnroutable, "{}", result.failed.back().reason);
  result.routes = {};
  return result;
}

/// Runs the candidates in order and returns the trials of the successful ones. Routes that can no
/// longer be the best are removed from their trials. On a large fabric the first candidate with the
/// highest possible value ends the search.
std::vector<EngineTrial> try_all(const Fabric& fabric, const Topology& topology,
                                 const RoutingOptions& options, EngineFinder find,
                                 const ChainVerification& verification,
                                 std::span<const std::string_view> candidates,
                                 Objective objective) {
  std::vector<EngineTrial> tried;
  tried.reserve(candidates.size());  // reallocation would copy the tables of all routes
  double most = 0;
  for (const std::string_view name : candidates) {
    EngineTrial one = try_alone(fabric, name, options, objective, find, verification, tried);
    if (!one.chain.status) continue;
    most = std::max(most, one.trial.value);
    tried.push_back(std::move(one));
    for (EngineTrial& other : tried)
      if (!can_be_as_good(other.trial, most)) other.chain.routes = {};
    EngineTrial& last = tried.back();
    last.trial.ends_search =
        is_large(fabric) && has_highest_value(topology, objective, last.trial, last.quality);
    if (last.trial.ends_search) break;
  }
  return tried;
}

/// Selects the engine for "auto" on a connected fabric or on one part of a fabric. The error names
/// the recognized topology.
Result<ChainResult> choose(const Fabric& fabric, const RoutingOptions& options, EngineFinder find,
                           const ChainVerification& verification, Objective objective) {
  const Topology topology = recognize(fabric);
  const auto candidates = candidates_for(fabric, topology, options.torus.has_value());
  if (options.previous &&
      std::ranges::find(candidates, options.previous_engine) != candidates.end()) {
    ChainResult kept =
        prove_alone(fabric, options.previous_engine, options, objective, find, verification);
    if (kept.status) {
      kept.choice = fmt::format("{} is kept", options.previous_engine);
      return kept;
    }
  }
  RoutingOptions from_scratch = options;
  from_scratch.previous.reset();
  auto tried = try_all(fabric, topology, from_scratch, find, verification, candidates, objective);
  if (tried.empty())
    return fail(Code::kUnroutable, "{}: no engine computes routes that pass verification",
                topology.about);
  std::vector<Trial> trials;
  for (const EngineTrial& one : tried) trials.push_back(one.trial);
  const std::size_t best = best_of(trials);
  tried[best].chain.choice = describe_choice(topology, trials, best);
  return std::move(tried[best].chain);
}

/// Selects an engine for each part of a partitioned fabric, for "auto".
Result<ChainResult> choose_by_parts(const Fabric& fabric, const RoutingOptions& options,
                                    EngineFinder find, const ChainVerification& verification,
                                    Objective objective) {
  const std::vector<FabricPart> parts = split_into_parts(fabric);
  ChainResult result = empty_result(fabric);
  std::vector<Routes> routes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = describe(parts[i], i);
    auto one = choose(parts[i].fabric, options_of_part(fabric, parts[i], options), find,
                      verification, objective);
    if (!one) return fail(one.error().code, "{}: {}", name, one.error().message);
    result.parts[i].engine = one->routes.engine;
    result.parts[i].choice = one->choice;
    result.choice += fmt::format("{}{}: {}", i == 0 ? "" : "; ", name, one->choice);
    for (const std::string& warning : one->warnings)
      result.warnings.push_back(fmt::format("{}: {}", name, warning));
    result.route_seconds += one->route_seconds;
    result.verify_seconds += one->verify_seconds;
    routes.push_back(std::move(one->routes));
  }
  result.routes = join_routes(fabric, parts, routes);
  auto trees = plan_multicast(fabric, result.routes, options, options.groups);
  if (!trees) return forward(trees);
  add_multicast(std::move(*trees), result.routes);
  verify_result(fabric, options, verification, result);
  if (!serves(result.verdict))
    return fail(Code::kUnroutable, "the routes of all parts together were rejected: {}",
                failure_text(result.verdict));
  return result;
}

/// Selects the engine for "auto". The engine that computed `previous` is kept, with incremental
/// routes, as long as it is a candidate and its routes pass verification. Otherwise all candidates
/// compute routes, and the best candidate with verified routes is selected, regardless of --verify.
/// Returns true, with the routes in the result, if an engine is selected.
bool choose(const Fabric& fabric, RoutingOptions& options, EngineFinder find,
            const ChainVerification& verification, Objective objective, SharedLfts& previous,
            ChainResult& result) {
  options.previous = std::exchange(previous, {});
  auto chosen = result.parts.size() > 1
                    ? choose_by_parts(fabric, options, find, verification, objective)
                    : choose(fabric, options, find, verification, objective);
  previous = std::exchange(options.previous, {});
  if (!chosen) {
    result.failed.push_back({std::string(kAutomatic), chosen.error().message});
    return false;
  }
  chosen->failed = std::move(result.failed);
  result = std::move(*chosen);
  return true;
}

/// The engines of all parts, without duplicates.
std::vector<std::string> engines_of(const ChainResult& result) {
  std::vector<std::string> names;
  for (const RoutedPart& part : result.parts)
    if (std::ranges::find(names, part.engine) == names.end()) names.push_back(part.engine);
  return names;
}

/// Runs an engine by name. If the engine computed `previous`, the routes are incremental; if
/// incremental routes fail, the engine computes all routes again. Returns whether routes were
/// accepted.
bool try_engine(const Fabric& fabric, const std::string& name, RoutingOptions& options,
                Objective objective, VerifyMode mode, EngineFinder find,
                const ChainVerification& verification, SharedLfts& previous, ChainResult& result) {
  const Engine* engine = find(name);
  if (engine == nullptr) {
    result.failed.push_back({name, "there is no engine of that name"});
    return false;
  }
  if (name == options.previous_engine) options.previous = std::exchange(previous, {});
  if (attempt(fabric, *engine, options, objective, mode, verification, result)) return true;
  if (!options.previous) return false;
  // Without the previous fabric, all destinations are balanced again, so paths may differ.
  if (std::exchange(options.previous_fabric, nullptr) != nullptr &&
      attempt(fabric, *engine, options, objective, mode, verification, result))
    return true;
  options.previous.reset();
  return attempt(fabric, *engine, options, objective, mode, verification, result);
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
                  "routing engine '{}' is not known{}; expected one of: {}, and 'no_fallback'",
                  name, suggestion(name), names_of_engines());
    }
  }
  if (choice.engines.empty()) choice.engines.emplace_back(kDefaultEngine);
  return choice;
}

EngineChoice adaptive_first(EngineChoice choice) {
  choice.engines.insert(choice.engines.begin(), std::string(kAdaptiveDefaultEngine));
  return choice;
}

bool serves(Verdict verdict) {
  verdict.ca_to_ca.pairs -= verdict.ca_to_ca.cut_off;
  return verdict.ok();
}

namespace {

/// Whether two routes have equal paths, and therefore equal figures. On intact trees the paths of
/// ftree and updn are often equal.
bool have_equal_paths(const Routes& a, const Routes& b) {
  return a.lfts == b.lfts && a.adaptive == b.adaptive && a.path_sl == b.path_sl &&
         a.sl2vl == b.sl2vl;
}

}  // namespace

EngineTrial try_alone(const Fabric& fabric, std::string_view engine, const RoutingOptions& options,
                      Objective objective, EngineFinder find, const ChainVerification& verification,
                      std::span<const EngineTrial> measured) {
  EngineTrial one{prove_alone(fabric, engine, options, objective, find, verification),
                  {},
                  {std::string(engine)}};
  if (!one.chain.status) return one;
  const auto same = std::ranges::find_if(measured, [&](const EngineTrial& other) {
    return have_equal_paths(other.chain.routes, one.chain.routes);
  });
  const QualityOptions figures =
      figures_for(fabric, objective, {.threads = options.threads, .seed = options.seed});
  one.quality = same != measured.end() ? same->quality : assess(fabric, one.chain.routes, figures);
  one.trial.value = value_of(objective, one.quality);
  one.trial.figures = figures_text(one.quality);
  one.trial.by_matching = values_by_matching(objective, one.quality);
  one.trial.by_distance = values_by_distance(objective, one.quality);
  if (one.quality.shifts) one.trial.unmeasured = one.quality.shifts->unmeasured;
  one.trial.vls = one.chain.routes.vls_needed;
  one.trial.single_sls = one.chain.verdict.single_sls;
  return one;
}

std::string describe_parts(const ChainResult& chain) {
  std::string text = fmt::format("{} parts that no cables join: ", chain.parts.size());
  const std::size_t named = std::min(chain.parts.size(), kPartsNamed);
  for (std::size_t i = 0; i < named; ++i) {
    const RoutedPart& part = chain.parts[i];
    text += fmt::format("{}{} and {}", i == 0 ? "" : "; ",
                        plural(part.switches, "switch", "switches"), plural(part.cas, "CA", "CAs"));
    if (!part.engine.empty()) text += " by " + part.engine;
  }
  if (named < chain.parts.size())
    text += fmt::format("; and {} smaller parts", chain.parts.size() - named);
  if (chain.verdict.ca_to_ca.cut_off == 0) return text;
  return text + fmt::format("; {} CA pairs are in different parts", chain.verdict.ca_to_ca.cut_off);
}

std::string describe(const RoutedStep& step) {
  const std::string where =
      step.topology == 0 ? "the whole fabric" : fmt::format("topology {}", step.topology);
  if (!step.failed.empty())
    return fmt::format("{} on {} failed: {}", step.engine, where, step.failed);
  return fmt::format("{} on {}: {} switches, {} hosts", step.engine, where, step.switches,
                     step.hosts);
}

ChainResult route_by_chain(const Fabric& fabric, const EngineChoice& choice, RoutingOptions options,
                           VerifyMode mode, EngineFinder find, std::span<const Option> given,
                           const ChainVerification& verification) {
  std::vector<std::string> names = choice.engines;
  if (choice.fallback && std::ranges::find(names, kFallbackEngine) == names.end())
    names.emplace_back(kFallbackEngine);

  ChainResult result = empty_result(fabric);
  SharedLfts previous = std::exchange(options.previous, {});
  for (const std::string& name : names) {
    const bool automatic = name == kAutomatic;
    if (automatic ? !choose(fabric, options, find, verification, choice.objective, previous, result)
                  : !try_engine(fabric, name, options, choice.objective, mode, find, verification,
                                previous, result))
      continue;
    for (RoutedPart& part : result.parts)
      if (part.engine.empty()) part.engine = result.routes.engine;
    for (const std::string& engine : automatic ? engines_of(result) : std::vector{name})
      for (std::string& warning : unsupported_options(engine, given, options))
        result.warnings.push_back(std::move(warning));
    return result;
  }
  std::string tried;
  for (const EngineAttempt& attempt : result.failed)
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", attempt.engine, attempt.reason);
  result.routes = {};
  result.verdict = {};
  result.status = fail(Code::kUnroutable, "all routing engines failed: {}", tried);
  return result;
}

}  // namespace weft
