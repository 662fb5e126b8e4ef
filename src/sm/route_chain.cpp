#include "sm/route_chain.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::string_view kNoFallback = "no_fallback";

std::string engine_names() {
  std::string names;
  for (const Engine& engine : engines())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", engine.name);
  return names;
}

/// One engine: true, and its routes in the result, if they may be used; else why not.
bool attempt(const Fabric& fabric, const Engine& engine, const RoutingOptions& options,
             VerifyMode mode, ChainResult& result) {
  const std::string kept = options.previous ? " (keeping what was in force)" : "";
  const Stopwatch routing;
  auto routes = run_engine(engine, fabric, options);
  result.route_seconds = routing.seconds();
  if (!routes) {
    result.failed.push_back({std::string(engine.name), routes.error().message + kept});
    return false;
  }
  result.routes = std::move(*routes);
  if (mode == VerifyMode::kOff) return true;
  const Stopwatch verifying;
  result.verdict =
      verify(fabric, result.routes, {.threads = options.threads, .groups = options.groups});
  result.verify_seconds = verifying.seconds();
  if (result.verdict.ok() || mode == VerifyMode::kWarn) return true;
  result.failed.push_back(
      {std::string(engine.name), "its routes were refused: " + complaint(result.verdict) + kept});
  return false;
}

}  // namespace

Result<EngineChoice> parse_engine_choice(std::string_view text) {
  EngineChoice choice;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view name = trim(part);
    if (name == kNoFallback) {
      choice.fallback = false;
    } else if (find_engine(name) != nullptr) {
      choice.engines.emplace_back(name);
    } else {
      return fail(Code::kUsage,
                  "routing engine '{}' is not known; there are: {}, and 'no_fallback'", name,
                  engine_names());
    }
  }
  if (choice.engines.empty()) choice.engines.emplace_back(kDefaultEngine);
  return choice;
}

std::string complaint(const Verdict& verdict) {
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "; ") + line; };
  if (!verdict.ca_to_ca.all())
    add(fmt::format("{} of {} CA pairs are not connected",
                    verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived, verdict.ca_to_ca.pairs));
  if (verdict.loops > 0) add(fmt::format("{} forwarding loops", verdict.loops));
  if (verdict.has_credit_loop())
    add(fmt::format("a credit loop over {} channels", verdict.credit_loop.size()));
  return text;
}

std::string multicast_complaint(const Verdict& verdict) {
  const MulticastVerdict& judged = verdict.multicast;
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "; ") + line; };
  if (judged.copies > judged.arrived)
    add(fmt::format("{} of {} copies do not arrive", judged.copies - judged.arrived,
                    judged.copies));
  if (judged.twice > 0) add(fmt::format("{} copies meet others of their packet", judged.twice));
  if (judged.loops > 0) add(fmt::format("{} copies go round for ever", judged.loops));
  if (!verdict.multicast_credit_loop.empty())
    add(fmt::format("a credit loop over {} channels together with unicast",
                    verdict.multicast_credit_loop.size()));
  return text;
}

ChainResult route_by_chain(const Fabric& fabric, const EngineChoice& choice, RoutingOptions options,
                           VerifyMode mode, EngineFinder find, std::span<const Option> given) {
  std::vector<std::string> names = choice.engines;
  if (choice.fallback && std::ranges::find(names, kFallbackEngine) == names.end())
    names.emplace_back(kFallbackEngine);

  ChainResult result;
  std::optional<Lfts> previous = std::exchange(options.previous, std::nullopt);
  for (const std::string& name : names) {
    const Engine* engine = find(name);
    if (engine == nullptr) {
      result.failed.push_back({name, "there is no engine of that name"});
      continue;
    }
    if (name == options.previous_engine) options.previous = std::exchange(previous, std::nullopt);
    bool served = attempt(fabric, *engine, options, mode, result);
    if (!served && options.previous) {
      options.previous.reset();
      served = attempt(fabric, *engine, options, mode, result);
    }
    if (served) {
      result.warnings = unheeded(name, given, options);
      return result;
    }
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
