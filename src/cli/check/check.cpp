// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft check [-F opensm.conf] [options of weft sm] [FABRIC]: checks a configuration, and its effect
// on a fabric, before a restart of the subnet manager.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/check/check_fabric.h"
#include "cli/routes/quality_text.h"
#include "cli/subcommands.h"
#include "verify/failure_text.h"

namespace weft::cli {
namespace {

constexpr std::size_t kRootsListed = 4;

struct CheckOptions {
  FabricArgument fabric;
  std::string config;
  Assignments assignments;
  std::string compare = "all";
  bool json = false;
};

Json findings_json(const Findings& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings.all()) {
    const Place place = place_of(finding.text);
    Json one{{"severity", name(finding.severity)}, {"text", finding.text}};
    if (place.line > 0) {
      one["file"] = place.file;
      one["line"] = place.line;
      if (place.column > 0) one["column"] = place.column;
    }
    json.push_back(std::move(one));
  }
  return json;
}

Json files_json(const CheckedConfiguration& checked) {
  Json json = Json::array();
  for (const CheckedFile& file : checked.files)
    json.push_back({{"key", file.key}, {"path", file.path}, {"good", file.good}});
  return json;
}

Json engine_json(const EngineCheck& check) {
  if (!check.serves())
    return {{"engine", check.engine}, {"serves", false}, {"reason", check.reason}};
  return {{"engine", check.engine},
          {"serves", true},
          {"vls", check.vls},
          {"vls_needed", check.vls_needed},
          {"single_sls", single_sls_json(check.trial.single_sls)},
          {"quality", quality_json(check.quality)}};
}

Json roots_json(const Fabric& fabric, const Roots& roots) {
  Json guids = Json::array();
  for (const SwitchId root : roots.switches)
    guids.push_back(fmt::format("0x{:016x}", fabric.node(root).node_guid.value()));
  return {{"how", roots.how}, {"guids", std::move(guids)}};
}

Json devices_json(const std::vector<DeviceCount>& devices) {
  Json json = Json::array();
  for (const DeviceCount& device : devices)
    json.push_back(
        {{"product", device.product}, {"nodes", device.nodes}, {"supports", device.supports}});
  return json;
}

Json fabric_check_json(const Fabric& fabric, const CheckedConfiguration& checked,
                       const FabricCheck& check) {
  const bool served = check.chain.status.has_value();
  Json engines = Json::array();
  for (const EngineCheck& one : check.engines) engines.push_back(engine_json(one));
  Json partitions = Json::array();
  for (const PartitionCount& count : check.partitions)
    partitions.push_back({{"name", count.name},
                          {"pkey", fmt::format("0x{:04x}", count.base)},
                          {"full", count.full},
                          {"limited", count.limited}});
  return {{"fabric", fabric_json(fabric)},
          {"requested", requested_engines(checked.settings, checked.options.routing_engine)},
          {"engine", served ? Json(check.chain.routes.engine) : Json()},
          {"fallbacks", attempts_json(check.chain.failed)},
          {"parts", parts_json(check.chain.parts)},
          {"ca_pairs_cut_off", check.chain.verdict.ca_to_ca.cut_off},
          {"vls", served ? Json(check.chain.routes.vls) : Json()},
          {"vls_needed", served ? Json(check.chain.routes.vls_needed) : Json()},
          {"vls_offered", check.vls_offered},
          {"quality", check.quality ? quality_json(*check.quality) : Json()},
          {"partitions", std::move(partitions)},
          {"roots", roots_json(fabric, check.roots)},
          {"devices", devices_json(check.devices)},
          {"engines", std::move(engines)},
          {"best", check.best.empty() ? Json() : Json(check.best)}};
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string roots_text(const Fabric& fabric, const Roots& roots) {
  std::string text = fmt::format("roots        {}: {}: ", roots.switches.size(), roots.how);
  for (std::size_t i = 0; i < std::min(roots.switches.size(), kRootsListed); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", describe(fabric.node(roots.switches[i])));
  if (roots.switches.size() > kRootsListed)
    text += fmt::format(" and {} more", roots.switches.size() - kRootsListed);
  return text + "\n";
}

std::string one_sl_column(const EngineCheck& one, const std::string& best) {
  const std::string_view text = (one.trial.single_sls & 1) != 0 ? "safe" : "unsafe";
  return one.engine == best ? fmt::format("{:<6}  best", text) : std::string(text);
}

std::string fabric_text(const Fabric& fabric, const FabricCheck& check) {
  std::string text = fmt::format("fabric       {} switches, {} CAs, {} links\n",
                                 fabric.switch_count(), fabric.ca_count(), fabric.link_count());
  if (check.chain.status)
    text += fmt::format("routes       by {} on {} of {} VLs{}, effective bisection {:.3f}, {}\n",
                        check.chain.routes.engine, check.chain.routes.vls, check.vls_offered,
                        check.chain.routes.vls_needed < check.chain.routes.vls
                            ? fmt::format(" ({} needed)", check.chain.routes.vls_needed)
                            : "",
                        check.quality->ebb,
                        failure_text(check.chain.verdict).empty() ? "proved" : "not proved");
  for (const DeviceCount& device : check.devices)
    text += fmt::format("device       {}: {}{}{}\n", device.product, plural(device.nodes, "node"),
                        device.supports.empty() ? "" : ", ", device.supports);
  for (const PartitionCount& count : check.partitions)
    text += fmt::format("partition    {} 0x{:04x}: {}, {} limited\n", weft::quoted(count.name),
                        count.base, plural(count.full, "full member"), count.limited);
  text += roots_text(fabric, check.roots);
  if (!check.engines.empty())
    text += "engines      bisection  all to all  VLs  load  hops  one SL\n";
  for (const EngineCheck& one : check.engines) {
    if (one.serves())
      text += fmt::format("  {:<12} {:>7.3f}  {:>10.3f}  {:>3}  {:>4}  {:>4}  {}\n", one.engine,
                          one.quality.ebb, one.quality.alltoall, one.vls, one.quality.link_load_max,
                          one.quality.hops_max, one_sl_column(one, check.best));
    else
      text += fmt::format("  {:<12} fails: {}\n", one.engine, one.reason);
  }
  return text;
}

std::string findings_text(const Findings& findings) {
  std::string text;
  for (const Severity severity : {Severity::kError, Severity::kProblem, Severity::kNote})
    for (const Finding& finding : findings.all())
      if (finding.severity == severity)
        text += fmt::format("{}: {}\n", name(severity), finding.text);
  const std::size_t errors = findings.count(Severity::kError);
  const std::size_t problems = findings.count(Severity::kProblem);
  if (errors > 0)
    text += fmt::format("weft sm would not start: {}, {}\n", plural(errors, "error"),
                        plural(problems, "problem"));
  else if (problems > 0)
    text += fmt::format("weft sm would start: {}\n", plural(problems, "problem"));
  else
    text += "weft sm would start: no problems\n";
  return text;
}

/// Exit status: that of the first error (invalid input, or a problem of this machine). Without
/// errors, 1 if there are problems or no engine can route the fabric, else 0.
int status_of(const Findings& findings, const FabricCheck* check) {
  const auto& all = findings.all();
  const auto error = std::ranges::find(all, Severity::kError, &Finding::severity);
  if (error != all.end()) return error->code == Code::kEnvironment ? kExitEnvironment : kExitUsage;
  const bool unroutable = check != nullptr && !check->chain.status;
  return unroutable || findings.count(Severity::kProblem) > 0 ? 1 : 0;
}

int run_check(const CheckOptions& options) {
  Findings findings;
  std::string config = options.config;
  std::error_code ignored;
  if (config.empty() && std::filesystem::exists(kDefaultConfig, ignored)) config = kDefaultConfig;
  const CheckedConfiguration checked = check_configuration(config, options.assignments, findings);
  std::optional<Fabric> fabric;
  std::optional<FabricCheck> check;
  if (!options.fabric.name.empty()) {
    auto input = load(options.fabric);
    if (!input) return report(input.error());
    auto numbered =
        with_all_lids(std::move(input->fabric), static_cast<std::uint8_t>(checked.settings.lmc));
    if (!numbered) return report(numbered.error());
    fabric = std::move(*numbered);
    auto done = check_fabric(*fabric, checked, options.compare, findings);
    if (!done) return report(done.error());
    check = std::move(*done);
  }
  const int status = status_of(findings, check ? &*check : nullptr);
  if (options.json) {
    Json json{{"ok", status == 0},
              {"would_start", findings.count(Severity::kError) == 0},
              {"files", files_json(checked)},
              {"findings", findings_json(findings)}};
    if (check) json.update(fabric_check_json(*fabric, checked, *check));
    print(json);
    return status;
  }
  std::string text;
  for (const CheckedFile& file : checked.files)
    text += fmt::format("file         {} ({}): {}\n", file.path, file.key,
                        file.good ? "valid" : "invalid");
  if (check) text += fabric_text(*fabric, *check);
  append_to_stdout(text + findings_text(findings));
  return status;
}

Run set_up_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  add_fabric(app, options->fabric);
  app.get_option("FABRIC")->required(false);
  app.add_option("-F,--config", options->config, "Read this configuration file (opensm.conf)")
      ->option_text(fmt::format("FILE [{}]", kDefaultConfig));
  add_command_options(app, manager_command_options(), options->assignments);
  add_command_options(app, routing_command_options(), options->assignments);
  app.add_option("--compare", options->compare,
                 "Compare these engines on FABRIC: a comma-separated list, all, or none")
      ->option_text("ENGINES [all]");
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_check(*options); };
}

}  // namespace

const Subcommand kCheckSubcommand{
    "check", "Check a configuration before a restart of the subnet manager", &set_up_check};

}  // namespace weft::cli
