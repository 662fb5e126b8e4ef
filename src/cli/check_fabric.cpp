#include "cli/check_fabric.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "ib/port_info.h"
#include "routing/adaptive/engines.h"
#include "routing/plugin.h"
#include "routing/shared/lanes.h"
#include "routing/shared/ranks.h"
#include "routing/updn.h"
#include "service/options.h"
#include "sm/qos_matcher.h"
#include "verify/complaint.h"

namespace weft::cli {
namespace {

constexpr double kWorthSaying = 0.01;  // of effective bisection

EndportId seat_of(const Fabric& fabric, const Settings& settings, Findings& findings) {
  if (settings.guid == 0) return kNoEndport;
  const auto seat = fabric.find_endport(Guid(settings.guid));
  if (!seat)
    findings.add(Severity::kError, fmt::format("guid 0x{:016x}: the fabric has no such port to put "
                                               "the subnet manager on",
                                               settings.guid));
  return seat.value_or(kNoEndport);
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

void check_partitions(const Fabric& fabric, const SmOptions& options, EndportId seat,
                      FabricCheck& check, Findings& findings) {
  const PartitionFile& file = options.partitions;
  std::vector<std::string> warnings;
  const auto ports = resolve_partitions(file, fabric, seat, warnings);
  findings.add(Severity::kProblem, warnings);
  check.partitions = count_partitions(file, ports);
  for (const PartitionCount& count : check.partitions) {
    const std::string who =
        fmt::format("partition {} (0x{:04x})", weft::quoted(count.name), count.base);
    const bool self = seat == kNoEndport && has_self(file, count.base);  // wherever it will be
    if (count.full + count.limited == 0 && !self)
      findings.add(Severity::kProblem, who + " has no member on this fabric");
    else if (count.full == 0 && count.limited > 1 && !self)
      findings.add(Severity::kProblem,
                   who + " has limited members only: none of them can talk to another");
  }
  std::size_t outside = 0;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    if (ports[e].members.empty()) ++outside;
  if (outside > 0)
    findings.add(
        Severity::kProblem,
        fmt::format("{} host ports are in no partition: nobody can talk to them", outside));
  std::vector<std::string> of_policy;
  const QosMatcher matcher(options.qos_policy, fabric, seat, file, of_policy);
  findings.add(Severity::kProblem, of_policy);
}

// ---- Roots ----

Roots detected_roots(const Fabric& fabric, unsigned threads) {
  Roots roots;
  const auto facts = centralities(fabric, threads);
  const auto by_level = tree_ranks(fabric);
  for (const auto& part : components(fabric)) {
    if (!by_level.empty()) {
      roots.how = "the top of the tree";
      for (const SwitchId sw : part)
        if (by_level[sw.value()] == 0) roots.switches.push_back(sw);
      continue;
    }
    const auto found = detect_roots(part, facts);
    if (found.empty()) {
      roots.how = "no switches are equally far from nearly all hosts: the most central one";
      roots.switches.push_back(central_switch(part, facts));
    } else {
      roots.how = "equally far from nearly all hosts";
      roots.switches.insert(roots.switches.end(), found.begin(), found.end());
    }
  }
  std::ranges::sort(roots.switches);
  return roots;
}

void check_roots(const Fabric& fabric, const RoutingOptions& options, const Roots& detected,
                 Findings& findings) {
  if (options.roots.empty()) return;
  const auto hosts = count_hosts(fabric);
  const bool has_spines = std::ranges::find(hosts, 0u) != hosts.end();  // else any may be a root
  for (const SwitchId root : options.roots)
    if (has_spines && hosts[root.value()] > 0)
      findings.add(Severity::kProblem,
                   fmt::format("root {} has {} hosts: it is a leaf", describe(fabric.node(root)),
                               hosts[root.value()]));
  if (const auto gap = gap_between_hosts(fabric, hops_from(fabric, options.roots), options))
    findings.add(
        Severity::kProblem,
        fmt::format("with these roots there is no up/down path from {} to {}",
                    describe(fabric.node(gap->first)), describe(fabric.node(gap->second))));
  std::size_t missing = 0;
  for (const SwitchId root : detected.switches)
    if (!std::ranges::binary_search(options.roots, root)) ++missing;
  if (missing > 0 || options.roots.size() != detected.switches.size())
    findings.add(
        Severity::kNote,
        fmt::format("{} roots are given; without -a Weft would use {}, of which {} are not "
                    "among them",
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
    if (plain_engine(engine.name) != engine.name) continue;  // the same tables once more
    if (engine.name == "file"    ? inputs.lfts || inputs.lid_matrix
        : engine.name == "chain" ? !inputs.chain.empty()
                                 : true)
      names.emplace_back(engine.name);
  }
  for (const std::string& asked : options.routing_engine.engines)
    if (asked != kAutomatic && std::ranges::find(names, asked) == names.end())
      names.push_back(asked);
  return names;
}

EngineCheck check_engine(const Fabric& fabric, const std::string& engine,
                         const RoutingOptions& options) {
  EngineCheck check;
  check.engine = engine;
  EngineTrial one = try_alone(fabric, engine, options);
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

/// "auto" by itself; `engine` is what it takes.
EngineCheck check_automatic(const Fabric& fabric, const RoutingOptions& options,
                            std::string& engine) {
  EngineCheck check;
  check.engine = check.trial.engine = kAutomatic;
  const ChainResult chain =
      route_by_chain(fabric, {{check.engine}, false}, options, VerifyMode::kEnforce);
  if (!chain.status) {
    check.reason = chain.failed.back().reason;
    return check;
  }
  engine = chain.routes.engine;
  check.vls = chain.routes.vls;
  check.vls_needed = chain.routes.vls_needed;
  check.quality = assess(fabric, chain.routes, {.threads = options.threads, .seed = options.seed});
  check.trial.ebb = check.quality.ebb;
  check.trial.vls = check.vls_needed;
  check.trial.single_sls = chain.verdict.single_sls;
  return check;
}

/// The engine that "auto" would take of those tried, in its own order of preference. Engines that
/// are no candidates of "auto" are ranked only if they are in `named`, behind the candidates.
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
       candidates_for(fabric, recognise(fabric), options.torus.has_value()))
    take(name);
  for (const std::string& name : named) take(name);
  return trials.empty() ? std::string() : trials[best_of(trials)].engine;
}

void check_engines(const Fabric& fabric, const SmOptions& options, const RoutingOptions& routing,
                   const std::string& compare, const std::vector<std::string>& names,
                   FabricCheck& check) {
  for (const std::string& name : names) {
    std::string ignored;
    check.engines.push_back(name == kAutomatic ? check_automatic(fabric, routing, ignored)
                                               : check_engine(fabric, name, routing));
  }
  if (compare == "all" && check.chain.parts.size() > 1) {  // it takes an engine for each part
    std::string taken;
    check.engines.push_back(check_automatic(fabric, routing, taken));
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

void suggest_engine(const FabricCheck& check, Findings& findings) {
  const auto best = std::ranges::find(check.engines, check.best, &EngineCheck::engine);
  if (best == check.engines.end()) return;
  const std::string figures =
      fmt::format("effective bisection {:.3f} on {} VL{}, {}", best->quality.ebb, best->vls,
                  best->vls == 1 ? "" : "s", one_sl_text(best->trial));
  if (!check.quality) {
    findings.add(Severity::kNote, fmt::format("-R {} serves: {}", best->engine, figures));
    return;
  }
  for (const EngineCheck& one : check.engines)
    if (one.serves() && one.quality.ebb - best->quality.ebb > kWorthSaying)
      findings.add(
          Severity::kNote,
          fmt::format("-R {} has an effective bisection of {:.3f}: -R auto does not try it "
                      "on a fabric of this size",
                      one.engine, one.quality.ebb));
  const double now = check.quality->ebb;
  if (best->engine == check.chain.routes.engine) return;
  if (best->quality.ebb - now <= kWorthSaying) {
    const bool is_safer =
        (best->trial.single_sls & 1) != 0 && (check.chain.verdict.single_sls & 1) == 0;
    if (is_safer && is_as_good(best->trial, now))
      findings.add(Severity::kNote,
                   fmt::format("-R {} is as good, and stays free of deadlock if clients ignore the "
                               "SL, which {} does not: {}",
                               best->engine, check.chain.routes.engine, figures));
    return;
  }
  findings.add(Severity::kNote,
               fmt::format("-R {} is better: {}, {:+.0f}% over {}", best->engine, figures,
                           100 * (best->quality.ebb / now - 1), check.chain.routes.engine));
}

void check_routing(const Fabric& fabric, const SmOptions& options, RoutingOptions routing,
                   FabricCheck& check, Findings& findings) {
  check.chain = route_by_chain(fabric, options.routing_engine, std::move(routing), options.verify,
                               &find_engine, given(options.routing));
  const ChainResult& chain = check.chain;
  if (chain.parts.size() > 1) findings.add(Severity::kProblem, describe_parts(chain));
  for (const EngineAttempt& attempt : chain.failed)
    findings.add(Severity::kProblem, fmt::format("routing engine '{}' would not serve: {}",
                                                 attempt.engine, attempt.reason));
  findings.add(Severity::kProblem, chain.warnings);
  if (!chain.status) {
    findings.add(Severity::kProblem, "no routing engine would serve: the fabric would not come up");
    return;
  }
  findings.add(Severity::kNote, chain.routes.notes);
  if (const std::string wrong = complaint(chain.verdict); !wrong.empty())
    findings.add(Severity::kProblem,
                 fmt::format("routes of '{}' would be used although there is {}",
                             chain.routes.engine, wrong));
  if (const std::string wrong = multicast_complaint(chain.verdict); !wrong.empty())
    findings.add(Severity::kProblem,
                 fmt::format("multicast trees of '{}': {}", chain.routes.engine, wrong));
  if (options.qos.enabled && plain_engine(chain.routes.engine) == "torus-2QoS")
    findings.add(Severity::kProblem, torus_complaints(options.qos));
  check.quality =
      assess(fabric, chain.routes,
             {.threads = options.routing.plain.threads, .seed = options.routing.plain.seed});
  if (chain.routes.vls_needed > 1 && options.qos_policy.exists())
    findings.add(Severity::kNote,
                 fmt::format("routes of '{}' need {} VLs and prescribe the SL of each path: SLs of "
                             "the QoS policy do not count",
                             chain.routes.engine, chain.routes.vls_needed));
}

}  // namespace

Result<FabricCheck> check_fabric(const Fabric& fabric, const CheckedConfiguration& checked,
                                 const std::string& compare, Findings& findings) {
  const SmOptions& options = checked.options;
  const auto names = engines_to_compare(compare, options);
  if (!names) return forward(names);
  FabricCheck check;
  const EndportId seat = seat_of(fabric, checked.settings, findings);
  std::vector<std::string> warnings;
  RoutingOptions routing = resolve(options.routing, fabric, warnings);
  findings.add(Severity::kProblem, warnings);
  routing.vls_max = std::min(routing.vls_max, data_vls_of_code(options.max_op_vls));
  check.vls_offered = lanes_available(fabric, routing.vls_max);
  check_partitions(fabric, options, seat, check, findings);
  check.roots = detected_roots(fabric, routing.threads);
  check_roots(fabric, routing, check.roots, findings);
  check_routing(fabric, options, routing, check, findings);
  check_engines(fabric, options, routing, compare, *names, check);
  suggest_engine(check, findings);
  return check;
}

}  // namespace weft::cli
