// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/check/check_fabric.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "fabric/planes.h"
#include "ib/port_info.h"
#include "routing/adaptive/engines.h"
#include "routing/deadlock/lanes.h"
#include "routing/parts/parts.h"
#include "routing/plugin.h"
#include "routing/shapes/ranks.h"
#include "routing/up_down/up_down.h"
#include "service/config/options.h"
#include "sm/qos/qos_matcher.h"
#include "verify/failure_text.h"

namespace weft::cli {
namespace {

constexpr double kSignificant = 0.01;  // smaller differences of the objective are ignored

EndportId sm_port_of(const Fabric& fabric, const Settings& settings, Findings& findings) {
  if (settings.guid == 0) return kNoEndport;
  const auto sm_port = fabric.find_endport(Guid(settings.guid));
  if (!sm_port)
    findings.add(Severity::kError, fmt::format("guid 0x{:016x}: the fabric has no port with this "
                                               "GUID for the subnet manager",
                                               settings.guid));
  return sm_port.value_or(kNoEndport);
}

// ---- Partitions ----

bool has_self(const PartitionFile& file, std::uint16_t base) {
  return std::ranges::any_of(file.partitions, [&](const FiledPartition& partition) {
    return partition.base == base &&
           std::ranges::find(partition.members, MemberKind::kSelf, &FiledMember::kind) !=
               partition.members.end();
  });
}

std::vector<PartitionCount> count_partitions(const PartitionFile& file,
                                             const std::vector<PortPartitions>& ports) {
  std::map<std::uint16_t, PartitionCount> counts;
  for (const FiledPartition& partition : file.partitions) {
    PartitionCount& count = counts[partition.base];
    count.base = partition.base;
    if (count.name.empty()) count.name = partition.name;
  }
  for (const PortPartitions& port : ports)
    for (const PortMember& member : port.members)
      ++(member.membership == Membership::kLimited ? counts[member.base].limited
                                                   : counts[member.base].full);
  std::vector<PartitionCount> result;
  result.reserve(counts.size());
  for (auto& [base, count] : counts) result.push_back(std::move(count));
  return result;
}

void check_partitions(const Fabric& fabric, const SmOptions& options, EndportId sm_port,
                      FabricCheck& check, Findings& findings) {
  const PartitionFile& file = options.partitions;
  std::vector<std::string> warnings;
  const auto ports = resolve_partitions(file, fabric, sm_port, warnings);
  findings.add(Severity::kProblem, warnings);
  check.partitions = count_partitions(file, ports);
  for (const PartitionCount& count : check.partitions) {
    const std::string partition =
        fmt::format("partition {} (0x{:04x})", weft::quoted(count.name), count.base);
    // A partition with SELF is not empty, although the port of SELF is not known yet.
    const bool self = sm_port == kNoEndport && has_self(file, count.base);
    if (count.full + count.limited == 0 && !self)
      findings.add(Severity::kProblem, partition + " has no member on this fabric");
    else if (count.full == 0 && count.limited > 1 && !self)
      findings.add(
          Severity::kProblem,
          partition + " has limited members only: they cannot communicate with each other");
  }
  std::size_t outside = 0;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    if (ports[e].members.empty()) ++outside;
  if (outside > 0)
    findings.add(
        Severity::kProblem,
        fmt::format("{} CA and router ports are not in any partition: they cannot communicate",
                    outside));
  std::vector<std::string> policy_warnings;
  const QosMatcher matcher(options.qos_policy, fabric, sm_port, file, policy_warnings);
  findings.add(Severity::kProblem, policy_warnings);
}

// ---- Roots ----

/// The switches of a part with the least rank. The least rank of a part with few levels is above 0
/// if another part has more levels.
std::vector<SwitchId> top_switches(const std::vector<SwitchId>& part,
                                   const std::vector<std::uint16_t>& tree_rank) {
  const auto rank_of = [&](SwitchId sw) { return tree_rank[sw.value()]; };
  const std::uint16_t top = rank_of(*std::ranges::min_element(part, {}, rank_of));
  std::vector<SwitchId> switches;
  for (const SwitchId sw : part)
    if (rank_of(sw) == top) switches.push_back(sw);
  return switches;
}

Roots detected_roots(const Fabric& fabric, unsigned threads) {
  Roots roots;
  std::vector<std::string_view> reasons;
  const auto add = [&](std::string_view reason, const std::vector<SwitchId>& switches) {
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
    roots.switches.insert(roots.switches.end(), switches.begin(), switches.end());
  };
  const auto facts = centralities(fabric, threads);
  const auto tree_rank = tree_ranks(fabric);
  for (const auto& part : switches_by_part(fabric)) {
    if (!tree_rank.empty())
      add("top rank of the tree", top_switches(part, tree_rank));
    else if (const auto found = detect_roots(part, facts); !found.empty())
      add("equal distance from nearly all hosts", found);
    else
      add("no switches at equal distance from nearly all hosts: the most central leaf",
          {central_switch(part, facts)});
  }
  roots.how = fmt::format("{}", fmt::join(reasons, "; "));
  std::ranges::sort(roots.switches);
  return roots;
}

void check_roots(const Fabric& fabric, const RoutingOptions& options, const Roots& detected,
                 Findings& findings) {
  if (options.roots.empty()) return;
  const auto hosts = count_hosts(fabric);
  const bool has_spines =
      std::ranges::find(hosts, 0u) != hosts.end();  // else every switch is a leaf
  for (const SwitchId root : options.roots)
    if (has_spines && hosts[root.value()] > 0)
      findings.add(Severity::kProblem,
                   fmt::format("root {} has {} hosts: it is a leaf", describe(fabric.node(root)),
                               hosts[root.value()]));
  if (const auto gap = leaves_without_path(fabric, hops_from(fabric, options.roots),
                                           options.switch_rank, options.threads))
    findings.add(
        Severity::kProblem,
        fmt::format("no up/down path from {} to {} with the configured roots "
                    "(root_guid_file)",
                    describe(fabric.node(gap->first)), describe(fabric.node(gap->second))));
  std::size_t missing = 0;
  for (const SwitchId root : detected.switches)
    if (!std::ranges::binary_search(options.roots, root)) ++missing;
  if (missing > 0 || options.roots.size() != detected.switches.size())
    findings.add(Severity::kNote,
                 fmt::format("{} roots are configured; {} roots are detected, of which {} are not "
                             "configured (root_guid_file, -a)",
                             options.roots.size(), detected.switches.size(), missing));
}

// ---- Engines ----

Result<std::vector<std::string>> engines_to_compare(const std::string& compare,
                                                    const SmOptions& options) {
  std::vector<std::string> names;
  if (compare == "none") return names;
  if (compare != "all") {
    if (const auto status = load_engine_files(compare); !status) return forward(status);
    auto choice = parse_engine_choice(compare);
    if (!choice) return forward(choice);
    return std::move(choice->engines);
  }
  const RoutingInputs& inputs = options.routing;
  for (const Engine& engine : engines()) {
    if (plain_engine(engine.name) != engine.name)
      continue;  // adaptive variants are compared only if -R names them
    if (engine.name == "file"    ? inputs.lfts || inputs.lid_matrix
        : engine.name == "chain" ? !inputs.chain.empty()
                                 : true)
      names.emplace_back(engine.name);
  }
  for (const std::string& requested : options.routing_engine.engines)
    if (requested != kAutomatic && std::ranges::find(names, requested) == names.end())
      names.push_back(requested);
  return names;
}

EngineCheck check_engine(const Fabric& fabric, const std::string& engine,
                         const RoutingOptions& options, Objective objective) {
  EngineCheck check;
  check.engine = engine;
  EngineTrial one = try_alone(fabric, engine, options, objective);
  if (!one.chain.status) {
    check.reason = one.chain.status.error().message;
    return check;
  }
  check.vls = one.chain.routes.vls;
  check.vls_needed = one.chain.routes.vls_needed;
  check.quality = one.quality;
  check.trial = std::move(one.trial);
  return check;
}

/// Routes by "auto" alone; sets `engine` to the engine that it selects.
EngineCheck check_automatic(const Fabric& fabric, const RoutingOptions& options,
                            Objective objective, std::string& engine) {
  EngineCheck check;
  check.engine = check.trial.engine = kAutomatic;
  const ChainResult chain =
      route_by_chain(fabric, {{check.engine}, false, objective}, options, VerifyMode::kEnforce);
  if (!chain.status) {
    check.reason = chain.failed.back().reason;
    return check;
  }
  engine = chain.routes.engine;
  check.vls = chain.routes.vls;
  check.vls_needed = chain.routes.vls_needed;
  check.quality =
      assess(fabric, chain.routes,
             figures_for(fabric, objective, {.threads = options.threads, .seed = options.seed}));
  check.trial.value = value_of(objective, check.quality);
  check.trial.by_matching = values_by_matching(objective, check.quality);
  check.trial.by_distance = values_by_distance(objective, check.quality);
  if (check.quality.shifts) check.trial.unmeasured = check.quality.shifts->unmeasured;
  check.trial.vls = check.vls_needed;
  check.trial.single_sls = chain.verdict.single_sls;
  return check;
}

/// The engine of the compared engines that "auto" would select, by its order of preference. Engines
/// that are not candidates of "auto" follow, only if they are in `named`. Empty if no candidate and
/// no engine in `named` succeeds.
std::string best_engine(const Fabric& fabric, const RoutingOptions& options,
                        const std::vector<EngineCheck>& engines,
                        const std::vector<std::string>& named) {
  std::vector<Trial> trials;
  const auto take = [&](std::string_view name) {
    const auto found = std::ranges::find(engines, name, &EngineCheck::engine);
    const bool taken = std::ranges::find(trials, name, &Trial::engine) != trials.end();
    if (found != engines.end() && found->serves() && !taken) trials.push_back(found->trial);
  };
  for (const std::string_view name :
       candidates_for(fabric, recognize(fabric), options.torus.has_value()))
    take(name);
  for (const std::string& name : named) take(name);
  return trials.empty() ? std::string() : trials[best_of(trials)].engine;
}

void check_engines(const Fabric& fabric, const SmOptions& options, const RoutingOptions& routing,
                   const std::string& compare, const std::vector<std::string>& names,
                   FabricCheck& check) {
  const Objective objective = options.routing_engine.objective;
  for (const std::string& name : names) {
    std::string ignored;
    check.engines.push_back(name == kAutomatic
                                ? check_automatic(fabric, routing, objective, ignored)
                                : check_engine(fabric, name, routing, objective));
  }
  if (compare == "all" && check.chain.parts.size() > 1) {  // "auto" selects an engine for each part
    std::string taken;
    check.engines.push_back(check_automatic(fabric, routing, objective, taken));
    if (!check.engines.back().serves()) return;
    const auto one = std::ranges::find(check.engines, taken, &EngineCheck::engine);
    check.best = one != check.engines.end() && one->serves() ? taken : std::string(kAutomatic);
    return;
  }
  std::vector<std::string> named = names;
  if (compare == "all")
    std::erase_if(named, [&](const std::string& name) {
      const bool needs_files = name == "file" || name == "chain";
      return !needs_files && std::ranges::find(options.routing_engine.engines, name) ==
                                 options.routing_engine.engines.end();
    });
  check.best = best_engine(fabric, routing, check.engines, named);
}

/// Whether "auto" does not try the engine because the fabric, or a part that has its own engine, is
/// large.
bool is_omitted(const Fabric& fabric, const FabricCheck& check, std::string_view engine,
                bool torus_described) {
  const auto omits = [&](const Fabric& one) {
    return is_omitted_by_size(one, recognize(one), engine, torus_described);
  };
  if (check.chain.parts.size() <= 1) return omits(fabric);
  const auto parts = split_into_parts(fabric);
  return std::ranges::any_of(parts, omits, &FabricPart::fabric);
}

void suggest_engine(const Fabric& fabric, const RoutingOptions& routing, Objective objective,
                    const FabricCheck& check, Findings& findings) {
  const auto best = std::ranges::find(check.engines, check.best, &EngineCheck::engine);
  if (best == check.engines.end()) return;
  const std::string figures =
      fmt::format("{} on {} VL{}, {}", figures_text(best->quality), best->vls,
                  best->vls == 1 ? "" : "s", one_sl_text(best->trial));
  if (!check.quality) {
    findings.add(Severity::kNote,
                 fmt::format("-R {} can route this fabric: {}", best->engine, figures));
    return;
  }
  for (const EngineCheck& one : check.engines)
    if (one.serves() && one.trial.value - best->trial.value > kSignificant &&
        is_omitted(fabric, check, one.engine, routing.torus.has_value()))
      findings.add(Severity::kNote,
                   fmt::format("-R {} has {}: -R auto does not try it on a fabric of this size",
                               one.engine, figures_text(one.quality)));
  const double now = value_of(objective, *check.quality);
  if (best->engine == check.chain.routes.engine) return;
  if (best->trial.value - now <= kSignificant) {
    const bool is_safer =
        (best->trial.single_sls & 1) != 0 && (check.chain.verdict.single_sls & 1) == 0;
    if (is_safer && is_as_good(best->trial, now))
      findings.add(Severity::kNote,
                   fmt::format("-R {} is as good, and remains deadlock-free if clients ignore the "
                               "SL, unlike {}: {}",
                               best->engine, check.chain.routes.engine, figures));
    return;
  }
  findings.add(Severity::kNote,
               fmt::format("-R {} is better: {}; value of the objective {:.0f}% above that of {}",
                           best->engine, figures, 100 * (best->trial.value / now - 1),
                           check.chain.routes.engine));
}

void check_routing(const Fabric& fabric, const SmOptions& options, RoutingOptions routing,
                   FabricCheck& check, Findings& findings) {
  check.chain = route_by_chain(fabric, options.routing_engine, std::move(routing), options.verify,
                               &find_engine, given(options.routing));
  const ChainResult& chain = check.chain;
  if (chain.parts.size() > 1 && !parts_are_planes(fabric))
    findings.add(Severity::kProblem, describe_parts(chain));
  for (const EngineAttempt& attempt : chain.failed)
    findings.add(Severity::kProblem,
                 fmt::format("routing engine '{}' would fail: {}", attempt.engine, attempt.reason));
  findings.add(Severity::kProblem, chain.warnings);
  if (!chain.status) {
    findings.add(Severity::kProblem,
                 "no configured routing engine (-R) and no fallback can route this fabric: the "
                 "subnet would not come up");
    return;
  }
  findings.add(Severity::kNote, chain.routes.notes);
  if (const std::string wrong = failure_text(chain.verdict); !wrong.empty())
    findings.add(Severity::kProblem, fmt::format("routes of '{}' would be programmed, although the "
                                                 "verifier reports: {}",
                                                 chain.routes.engine, wrong));
  if (const std::string wrong = multicast_failure(chain.verdict); !wrong.empty())
    findings.add(Severity::kProblem,
                 fmt::format("multicast trees of '{}': {}", chain.routes.engine, wrong));
  if (options.qos.enabled && plain_engine(chain.routes.engine) == "torus-2QoS")
    findings.add(Severity::kProblem, torus_problems(options.qos));
  check.quality = assess(
      fabric, chain.routes,
      figures_for(fabric, options.routing_engine.objective,
                  {.threads = options.routing.plain.threads, .seed = options.routing.plain.seed}));
  if (chain.routes.path_sl.kind() != PathSl::Kind::kUniform && options.qos_policy.exists())
    findings.add(Severity::kNote,
                 fmt::format("routes of '{}' determine the SL of each path: SLs of the QoS policy "
                             "have no effect{}",
                             chain.routes.engine,
                             plain_engine(chain.routes.engine) == "torus-2QoS"
                                 ? " except bit 3 (SLs 0 to 7 or 8 to 15)"
                                 : ""));
}

}  // namespace

Result<FabricCheck> check_fabric(const Fabric& fabric, const CheckedConfiguration& checked,
                                 const std::string& compare, Findings& findings) {
  const SmOptions& options = checked.options;
  const auto names = engines_to_compare(compare, options);
  if (!names) return forward(names);
  FabricCheck check;
  const EndportId sm_port = sm_port_of(fabric, checked.settings, findings);
  std::vector<std::string> warnings;
  RoutingOptions routing = resolve(options.routing, fabric, warnings);
  findings.add(Severity::kProblem, warnings);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(vl_limit(options).least()));
  check.vls_offered = lanes_available(fabric, routing.vls_max);
  check_partitions(fabric, options, sm_port, check, findings);
  if (options.topology)
    findings.add(
        Severity::kProblem,
        topology_warnings(*options.topology, topology_findings(options.topology->fabric, fabric)));
  check.devices = count_devices(fabric);
  check_devices(fabric, uses_adaptive_routing(options), findings);
  check.roots = detected_roots(fabric, routing.threads);
  check_roots(fabric, routing, check.roots, findings);
  check_routing(fabric, options, routing, check, findings);
  check_engines(fabric, options, routing, compare, *names, check);
  suggest_engine(fabric, routing, options.routing_engine.objective, check, findings);
  return check;
}

}  // namespace weft::cli
