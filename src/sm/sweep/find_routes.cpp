// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/find_routes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "fabric/planes.h"
#include "policy/route_chain.h"
#include "routes/carry_over.h"
#include "routing/adaptive/engines.h"
#include "sm/adaptive/private_blocks.h"
#include "sm/discovery/degraded_links.h"
#include "sm/qos/administered_lanes.h"
#include "sm/sweep/multicast_trees.h"
#include "verify/copies/copied_lids.h"
#include "verify/failure_text.h"
#include "verify/planes/plane_verdicts.h"

namespace weft {
namespace {

/// The routes of the last sweep, if the graph and the LIDs are the same.
std::optional<FoundRoutes> reuse_routes(const RouteInput& input, SweepReport& report) {
  const auto& last = input.memory.snapshot;
  if (!last || input.memory.routing_changed || !are_equal_for_routing(last->fabric, input.fabric))
    return std::nullopt;
  FoundRoutes found{last->routes, last->verdict, last->copies};
  report.routes_reused = true;
  renew_trees(input, found, report);
  return found;
}

VerifyOptions verify_options(const RouteInput& input) {
  const RoutingOptions& plain = input.options.routing.plain;
  return {.threads = plain.threads, .ignore_replies = plain.ignore_replies};
}

/// -A: cached routes of an earlier fabric. None without -A, if the cache has no routes for this
/// fabric, or if these routes fail verification.
std::optional<FoundRoutes> recall_routes(const RouteInput& input, SweepReport& report) {
  SubnetMemory& memory = input.memory;
  const SmOptions& options = input.options;
  if (memory.routing_changed) memory.cache.forget_all();
  if (!options.ucast_cache) return std::nullopt;
  const Stopwatch watch;
  auto cached = memory.cache.find(input.fabric);
  if (!cached) return std::nullopt;
  copy_lids(input.fabric, {}, cached->routes);
  cached->routes.mfts.clear();  // groups may have changed since
  cached->routes.multicast_sl.clear();
  std::optional<Dependencies> dependencies;
  if (!cached->verdict && options.verify != VerifyMode::kOff) {
    auto verified = input.verifier.verify(input.fabric, cached->routes, verify_options(input));
    report.seconds.verify = watch.seconds();
    if (!verified.verdict.ok()) return std::nullopt;
    cached->verdict = std::move(verified.verdict);
    dependencies = std::move(verified.dependencies);
    report.verified_changes_only = verified.only_changes;
  }
  FoundRoutes found{
      std::move(cached->routes), cached->verdict.value_or(Verdict{}), {}, std::move(dependencies)};
  report.routes_remembered = true;
  memory.planned_groups.emplace();
  renew_trees(input, found, report);
  log::info("{} tables reused from the routing cache", found.routes.engine);
  return found;
}

EngineChoice engines_to_try(const RouteInput& input) {
  const EngineChoice& choice = input.options.routing_engine;
  return input.memory.adaptive_default ? adaptive_first(choice) : choice;
}

/// Sets the active routes, as far as the engine may keep them. After another manager was master,
/// these are the tables that switches hold. Another engine may have computed them, so the engine of
/// this manager keeps only entries that it could have selected.
void keep_active_routes(const RouteInput& input, RoutingOptions& routing) {
  const SubnetMemory& memory = input.memory;
  if (input.options.rebalance || memory.routing_changed) return;
  if (memory.snapshot) {
    const auto& snapshot = memory.snapshot;
    const Lfts& lfts = snapshot->routes.lfts;
    routing.previous =
        snapshot->copies.empty()
            ? carry_over(snapshot->fabric, SharedLfts(std::shared_ptr<const Lfts>(snapshot, &lfts)),
                         input.fabric)
            : SharedLfts(carry_over(snapshot->fabric, lfts, input.fabric));  // without copied LIDs
    routing.previous_engine = memory.snapshot->routes.engine;
    const RoutingInputs& inputs = input.options.routing;
    if (inputs.hop_weights.empty() && !inputs.avoid_throttled_links)
      routing.previous_fabric = &memory.snapshot->fabric;
  } else if (memory.was_standby) {
    Lfts held = held_routes(memory.held, input.fabric);
    if (!memory.vport_lids.empty()) held = carry_over(input.fabric, held, input.fabric);
    routing.previous = std::move(held);
    routing.previous_engine = engines_to_try(input).engines.front();
  }
}

bool is_adaptive(const RouteInput& input) {
  return uses_adaptive_routing(input.options) || input.memory.adaptive_default;
}

/// The switches that can have AR groups.
std::set<Guid> adaptive_switches(const RouteInput& input) {
  std::set<Guid> switches;
  if (!is_adaptive(input)) return switches;
  const auto capacities = group_capacities(input.fabric, input.memory.ar, input.ar_conf);
  for (std::uint32_t s = 0; s < capacities.size(); ++s)
    if (capacities[s] > 0) switches.insert(input.fabric.node(SwitchId(s)).node_guid);
  return switches;
}

/// The forwarding tables that each switch can have, with rows up to the highest LID of an endport
/// or a virtual port.
std::vector<std::uint8_t> tables_that_fit(const RouteInput& input) {
  return forwarding_tables(input.fabric, input.memory.ar,
                           std::max(input.fabric.lid_top(), input.memory.vport_lids.top()));
}

/// The switches that can have private tables.
std::set<Guid> private_switches(const RouteInput& input) {
  std::set<Guid> switches;
  if (!is_adaptive(input)) return switches;
  const auto tables = tables_that_fit(input);
  for (std::uint32_t s = 0; s < tables.size(); ++s)
    if (tables[s] > 1) switches.insert(input.fabric.node(SwitchId(s)).node_guid);
  return switches;
}

/// Whether a switch of the last snapshot can have AR groups or private tables, but could not when
/// its routes were computed, for example because it did not answer.
bool has_more_groups(const RouteInput& input) {
  const auto& last = input.memory.snapshot;
  const auto has_more = [&](const std::set<Guid>& now, const std::set<Guid>& before) {
    return last && std::ranges::any_of(now, [&](Guid sw) {
             return !before.contains(sw) && last->fabric.find_node(sw);
           });
  };
  return has_more(adaptive_switches(input), input.memory.routed_adaptive) ||
         has_more(private_switches(input), input.memory.routed_private);
}

void set_adaptive_capabilities(const RouteInput& input, RoutingOptions& routing) {
  if (!is_adaptive(input)) return;
  if (!routing.adaptive) routing.adaptive = AdaptiveOptions{.only_ar_engines = true};
  routing.adaptive->group_capacity = group_capacities(input.fabric, input.memory.ar, input.ar_conf);
  routing.adaptive->divides = dividing(input.fabric, input.memory.ar, input.ar_conf);
  routing.adaptive->forwarding_tables = tables_that_fit(input);
  if (input.options.shield_mode)
    routing.adaptive->notifies = notifying(input.fabric, input.memory.ar, input.ar_conf);
}

/// Logs the verdict of each plane, as a warning unless the plane is verified.
void report_planes(const Fabric& fabric, const Verdict& verdict, SweepReport& report) {
  for (const PlaneVerdict& plane : plane_verdicts(fabric, verdict, report.planes.stated)) {
    if (plane.state == PlaneState::kVerified)
      log::info("{}", describe(plane));
    else
      warn(report, describe(plane));
  }
}

void report_chain(const Fabric& fabric, const ChainResult& chain, const SmOptions& options,
                  SweepReport& report) {
  if (options.verify == VerifyMode::kWarn && !chain.verdict.ok())
    log::error("routes of '{}' are used although they fail verification: {}", chain.routes.engine,
               failure_text(chain.verdict));
  if (chain.verdict.replies_ignored)
    log::warn("replies=ignore: replies on the SL of the request may deadlock");
  if (options.verify != VerifyMode::kOff)
    log::info("all traffic on one SL: deadlock-free on SLs {}",
              sl_ranges(chain.verdict.single_sls));
  if (chain.parts.size() > 1 && !parts_are_planes(fabric)) warn(report, describe_parts(chain));
  report_planes(fabric, chain.verdict, report);
  if (!chain.choice.empty()) log::info("engine chosen: {}", chain.choice);
  for (const RoutedStep& step : chain.routes.steps) {
    if (step.failed.empty())
      log::info("step {} of the chain: {}", step.id, describe(step));
    else
      log::warn("step {} of the chain: {}", step.id, describe(step));
  }
  for (const std::string& warning : chain.warnings) warn(report, warning);
  for (const std::string& note : chain.routes.notes) warn(report, note);
  if (options.qos.enabled && plain_engine(chain.routes.engine) == "torus-2QoS")
    for (const std::string& problem : torus_problems(options.qos)) warn(report, problem);
  if (const std::string text = multicast_failure(chain.verdict); !text.empty())
    warn(report, fmt::format("multicast trees of '{}': {}", chain.routes.engine, text));
  report.seconds.route = chain.route_seconds;
  report.seconds.verify = chain.verify_seconds;
  report.verified_changes_only = chain.verified_changes_only;
  log::info("routes computed by {}", chain.routes.engine);
}

Result<FoundRoutes> compute_routes(const RouteInput& input, SweepReport& report) {
  const SmOptions& options = input.options;
  std::vector<std::string> warnings;
  const auto degraded = degraded_channels(input.observed);
  RoutingOptions routing = resolve(options.routing, input.fabric, warnings, &degraded);
  for (const std::string& warning : warnings) warn(report, warning);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(vl_limit(options).least()));
  std::vector<std::string> notes;
  std::vector<MulticastGroup> groups = routing.groups = current_groups(input, notes);
  keep_active_routes(input, routing);
  set_adaptive_capabilities(input, routing);
  std::optional<WantedMaps> wanted;
  if (options.qos.enabled)
    wanted = administered_maps(input.observed, input.fabric, options.qos, vl_limit(options));
  ChainResult chain = route_by_chain(
      input.fabric, engines_to_try(input), std::move(routing), options.verify, options.find_engine,
      given(options.routing), {.wanted = wanted ? &*wanted : nullptr, .verifier = &input.verifier});
  for (const EngineAttempt& attempt : chain.failed)
    log::warn("routing engine '{}' failed: {}", attempt.engine, attempt.reason);
  report.engines_failed = std::move(chain.failed);
  if (!chain.status) return forward(chain.status);
  report_chain(input.fabric, chain, options, report);
  input.memory.planned_groups = std::move(groups);
  input.memory.routing_changed = false;
  input.memory.routed_adaptive = adaptive_switches(input);
  input.memory.routed_private = private_switches(input);
  return FoundRoutes{
      std::move(chain.routes), std::move(chain.verdict), {}, std::move(chain.dependencies)};
}

Result<FoundRoutes> select_routes(const RouteInput& input, SweepReport& report) {
  if (has_more_groups(input)) {
    input.memory.cache.forget_all();
    return compute_routes(input, report);
  }
  if (auto found = reuse_routes(input, report)) return std::move(*found);
  if (auto found = recall_routes(input, report)) return std::move(*found);
  return compute_routes(input, report);
}

/// Assigns group numbers to leaves if switches send FRNs. Reused routes of the last sweep already
/// have numbers. Returns whether entries became static.
bool number_leaves(const RouteInput& input, Routes& routes, SweepReport& report) {
  if (!routes.adaptive || !routes.adaptive->has_notifications()) return false;
  if (report.routes_reused && !routes.adaptive->numbers().empty()) return false;
  const std::string folder =
      input.options.cache_ar_group_id ? input.options.cache_dir : std::string();
  auto& store = input.memory.group_numbers;
  std::vector<std::string> warnings;
  GroupNumberMemory& numbers = store.recall(folder, warnings);
  const std::size_t restricted =
      number_groups(input.fabric, group_capacities(input.fabric, input.memory.ar, input.ar_conf),
                    numbers, routes);
  store.save(folder, warnings);
  if (restricted > 0)
    warnings.push_back(
        fmt::format("adaptive routing: {} entries stay static, because the group numbers of their "
                    "leaves exceed the groups of the switches",
                    restricted));
  for (const std::string& warning : warnings) warn(report, warning);
  return restricted > 0;
}

/// Verifies the routes again, because the proof must be for the routes as programmed.
Status verify_again(const RouteInput& input, FoundRoutes& found, SweepReport& report) {
  const VerifyMode mode = input.options.verify;
  if (mode == VerifyMode::kOff) return {};
  const Stopwatch watch;
  auto verified = input.verifier.verify(input.fabric, found.routes, verify_options(input));
  report.seconds.verify += watch.seconds();
  found.verdict = std::move(verified.verdict);
  found.dependencies = std::move(verified.dependencies);
  report.verified_changes_only = verified.only_changes;
  if (mode == VerifyMode::kEnforce && !found.verdict.ok())
    return fail(Code::kUnroutable, "routes of '{}' with group numbers fail verification: {}",
                found.routes.engine, failure_text(found.verdict));
  return {};
}

/// Copies the entries of CA ports to the LIDs of their virtual ports, and verifies the copies.
Status copy_vport_lids(const RouteInput& input, FoundRoutes& found) {
  auto copies = vport_lid_copies(input.observed.vports, input.memory.vport_lids, input.fabric);
  if (copies == found.copies) return {};
  found.copies = std::move(copies);
  copy_lids(input.fabric, found.copies, found.routes);
  if (input.options.verify == VerifyMode::kOff) return {};
  const std::uint64_t differing = count_differing_copies(found.routes, found.copies);
  if (differing == 0) return {};
  const std::string text = fmt::format(
      "routes of '{}' have {} entries of LIDs of virtual ports that differ from those of the CA "
      "ports, expected 0",
      found.routes.engine, differing);
  if (input.options.verify == VerifyMode::kEnforce) return fail(Code::kUnroutable, "{}", text);
  log::error("{}", text);
  return {};
}

}  // namespace

Result<FoundRoutes> find_routes(const RouteInput& input, SweepReport& report) {
  auto found = select_routes(input, report);
  if (found && number_leaves(input, found->routes, report))
    if (auto status = verify_again(input, *found, report); !status) return forward(status);
  if (found)
    if (auto status = copy_vport_lids(input, *found); !status) return forward(status);
  report.verification_difference = input.verifier.difference();
  if (!report.verification_difference.empty())
    log::error(
        "verification of the changes differs from the complete verification, which is used: {}",
        report.verification_difference);
  return found;
}

}  // namespace weft
