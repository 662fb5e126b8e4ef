// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/common.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/log.h"
#include "base/printable.h"
#include "base/text.h"
#include "fabric/fnm_rings.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"
#include "routes/dump/read.h"
#include "routing/file/filed_lfts.h"
#include "service/http/data/planes.h"
#include "verify/failure_text.h"
#include "verify/planes/plane_verdicts.h"

namespace weft::cli {
namespace {

std::string_view name(WalkEnd end) {
  switch (end) {
    case WalkEnd::kArrived:
      return "arrived";
    case WalkEnd::kUnrouted:
      return "no route";
    case WalkEnd::kDeadPort:
      return "port without a cable";
    case WalkEnd::kWrongEndport:
      return "ends at another endport";
    case WalkEnd::kLoop:
      return "loop";
    case WalkEnd::kDropped:
      return "dropped by SL2VL";
  }
  return "?";
}

std::string source_name(const Fabric& fabric, EndportId id) {
  return describe(fabric, fabric.endport(id).port);
}

std::string destination_name(const Fabric& fabric, Lid lid) {
  const EndportId owner = fabric.endport_of(lid);
  return owner == kNoEndport ? "unassigned" : describe(fabric.node(fabric.endport(owner).node));
}

std::string where_text(const Fabric& fabric, const WalkFailure& failure) {
  return failure.where == kNoSwitch ? "no switch" : describe(fabric.node(failure.where));
}

Json reach_json(const ReachCount& reach) {
  return {{"pairs", reach.pairs}, {"arrived", reach.arrived}, {"cut_off", reach.cut_off}};
}

std::string reach_text(std::string_view what, const ReachCount& reach) {
  return fmt::format("{:<18} {} of {} arrive{}\n", what, reach.arrived, reach.pairs,
                     reach.cut_off == 0
                         ? std::string()
                         : fmt::format(", {} not connected by links", reach.cut_off));
}

Json cycle_json(const Fabric& fabric, std::span<const CycleHop> cycle) {
  Json json = Json::array();
  for (const CycleHop& hop : cycle) {
    const Channel& channel = fabric.channel(hop.channel);
    json.push_back({{"from", describe(fabric.node(channel.from))},
                    {"from_port", channel.from_port.value()},
                    {"to", describe(fabric.node(channel.to))},
                    {"to_port", channel.to_port.value()},
                    {"vl", hop.vl.value()},
                    {"source", source_name(fabric, hop.source)},
                    {"lid", hop.lid.value()},
                    {"sl", hop.sl.value()},
                    {"reply", hop.reply}});
  }
  return json;
}

Json lanes_json(const Fabric& fabric, const Verdict& verdict) {
  Json failures = Json::array();
  for (const LaneFailure& failure : verdict.lane_failures)
    failures.push_back({{"port", describe(fabric, failure.port)},
                        {"vl", failure.vl.value()},
                        {"data_vls", failure.vls}});
  return {{"missing", verdict.lanes_missing}, {"failures", std::move(failures)}};
}

std::string lanes_text(const Fabric& fabric, const Verdict& verdict) {
  if (verdict.lanes_missing == 0) return {};
  std::string text = fmt::format("lanes missing:     at {} ports\n", verdict.lanes_missing);
  for (const LaneFailure& failure : verdict.lane_failures)
    text += fmt::format("  {}: packets on VL {}, the link has {} data VL{}\n",
                        describe(fabric, failure.port), failure.vl.value(), failure.vls,
                        failure.vls == 1 ? "" : "s");
  return text;
}

std::string why_fails(const Verdict& verdict) {
  if (!verdict.verified) return "not verified";
  const std::string why = all_failures(verdict);
  if (verdict.empty.empty()) return why;
  return why.empty() ? verdict.empty : verdict.empty + "; " + why;
}

Json multicast_json(const Fabric& fabric, const Verdict& verdict) {
  const MulticastVerdict& multicast = verdict.multicast;
  Json failures = Json::array();
  for (const CopyFailure& failure : multicast.failures)
    failures.push_back(describe(fabric, failure));
  return {{"ok", verdict.multicast_ok()},
          {"groups", multicast.groups},
          {"copies", multicast.copies},
          {"arrived", multicast.arrived},
          {"twice", multicast.twice},
          {"loops", multicast.loops},
          {"strangers", multicast.non_member_copies},
          {"dead_ports", multicast.dead_ports},
          {"failures", std::move(failures)},
          {"credit_loop", cycle_json(fabric, verdict.multicast_credit_loop)}};
}

std::string multicast_text(const Fabric& fabric, const Verdict& verdict) {
  const MulticastVerdict& multicast = verdict.multicast;
  if (multicast.groups == 0) return {};
  std::string text =
      fmt::format("multicast:         {} of {} copies arrive in {} group{}\n", multicast.arrived,
                  multicast.copies, multicast.groups, multicast.groups == 1 ? "" : "s");
  if (multicast.twice + multicast.loops > 0)
    text += fmt::format("multicast loops:   {}, and {} duplicate copies\n", multicast.loops,
                        multicast.twice);
  if (multicast.non_member_copies + multicast.dead_ports > 0)
    text += fmt::format(
        "warning: {} copies to endports that are not members, {} to ports without a link\n",
        multicast.non_member_copies, multicast.dead_ports);
  for (const CopyFailure& failure : multicast.failures)
    text += fmt::format("  {}\n", describe(fabric, failure));
  if (!verdict.multicast_credit_loop.empty())
    text += fmt::format("multicast and unicast together form a credit loop over {} channels:\n{}",
                        verdict.multicast_credit_loop.size(),
                        describe_cycle(fabric, verdict.multicast_credit_loop));
  return text;
}

/// Whether the text has the form NAME:PARAMETERS, possibly of an unknown generator.
bool may_be_misspelt_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         std::ranges::all_of(text.substr(0, colon), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_';
         });
}

}  // namespace

void add_fabric(CLI::App& app, FabricArgument& argument) {
  app.add_option("FABRIC", argument.name,
                 "Fabric file in any supported format (also .gz, - for standard input), or a "
                 "generator spec such as fattree3:k=16")
      ->required();
  list_words(app.add_option("--format", argument.read.format,
                            "Read the file in this format (default: detected from the content)"),
             table_names(read_formats()));
  app.add_option("--ibnl-dir", argument.read.ibnl_dir,
                 "Read .ibnl system definitions for .topo files from this folder");
}

CLI::Option* list_words(CLI::Option* option, const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : "|") + word;
  return option->type_name(list);
}

CLI::Option* restrict_to(CLI::Option* option, const std::vector<std::string>& words) {
  CLI::IsMember member(words);
  member.description("");  // the type name lists the words
  return list_words(option->check(member), words);
}

Result<ReadResult> load(const FabricArgument& argument) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(argument.name, ignored);
  if (!exists && looks_like_spec(argument.name)) {
    auto fabric = generate(argument.name);
    if (!fabric) return forward(fabric);
    return ReadResult{std::move(*fabric), "generated", {}};
  }
  if (!exists && may_be_misspelt_spec(argument.name)) {
    const auto generated = generate(argument.name);
    return fail(Code::kUsage, "no such file and no such generator: {}", generated.error().message);
  }
  auto result = read_fabric(argument.name, argument.read);
  if (result)
    for (const std::string& warning : result->warnings) log::warn("{}", warning);
  return result;
}

void log(Warnings& warnings) {
  for (const std::string& warning : warnings.take()) log::warn("{}", warning);
}

Result<Fabric> with_all_lids(Fabric fabric, std::uint8_t lmc) {
  const auto ranges = assign_lids(fabric, current_lids(fabric), {.lmc = lmc});
  if (!ranges) return forward(ranges);
  return std::move(fabric).with_lids(*ranges);
}

Result<Lfts> read_lfts_by_guid(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  std::vector<std::string> found;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    const auto filed = read_filed_lfts(path, found);
    if (filed && std::ranges::any_of(filed->owner, [](Guid guid) { return guid != Guid(0); })) {
      Lfts lfts = match_lfts(*filed, fabric, found);
      for (std::string& warning : found) warnings.add(std::move(warning));
      return lfts;
    }
  }
  return read_lfts(fabric, path, warnings);
}

std::optional<Guid> parse_guid(std::string_view text) {
  const auto value = parse_number<std::uint64_t>(text, 16);
  return value ? std::optional(Guid(*value)) : std::nullopt;
}

int report(const Error& error) {
  std::cerr << "weft: " << printable(error.message, Lines::kMany) << '\n';
  return exit_status(error);
}

void append_to_stdout(std::string_view text) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const auto put = [](std::string_view shown) {
    std::fwrite(shown.data(), 1, shown.size(), stdout);
  };
  is_terminal ? put(printable(text, Lines::kMany)) : put(text);
}

std::string dump(const Json& json) {
  return printable_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

void print(const Json& json) { append_to_stdout(dump(json)); }

Json fabric_json(const Fabric& fabric) {
  return {{"switches", fabric.switch_count()},
          {"cas", fabric.ca_count()},
          {"ports", fabric.port_count() - fabric.node_count()},
          {"links", fabric.link_count()}};
}

Json verdict_json(const Fabric& fabric, const Verdict& verdict, std::uint32_t planes_stated) {
  Json json{{"ok", verdict.ok()},
            {"unreachable", verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived},
            {"loops", verdict.loops},
            {"credit_loops", verdict.has_credit_loop() ? 1 : 0},
            {"dependencies", verdict.dependencies},
            {"ca_to_ca", reach_json(verdict.ca_to_ca)},
            {"switch_to_ca", reach_json(verdict.switch_to_ca)},
            {"ca_to_switch", reach_json(verdict.ca_to_switch)},
            {"switch_to_switch", reach_json(verdict.switch_to_switch)}};
  Json failures = Json::array();
  for (const WalkFailure& failure : verdict.failures)
    failures.push_back({{"source", source_name(fabric, failure.source)},
                        {"lid", failure.lid.value()},
                        {"destination", destination_name(fabric, failure.lid)},
                        {"end", name(failure.end)},
                        {"where", where_text(fabric, failure)}});
  json["failures"] = std::move(failures);
  json["multicast"] = multicast_json(fabric, verdict);
  json["pass"] = passes(verdict);
  json["why"] = why_fails(verdict);
  json["replies"] = verdict.replies_ignored ? "ignored" : "counted";
  json["single_sls"] = single_sls_json(verdict.single_sls);
  json["lanes"] = lanes_json(fabric, verdict);
  json["credit_loop"] = cycle_json(fabric, verdict.credit_loop);
  json["switch_credit_loop"] = cycle_json(fabric, verdict.switch_credit_loop);
  if (Json planes = http_data::planes(fabric, verdict, planes_stated); !planes.empty())
    json["planes"] = std::move(planes);
  return json;
}

std::string fnm_text(const Fabric& fabric) {
  const FnmRings rings = examine_fnm_rings(fabric);
  if (rings.ports == 0) return {};
  return fmt::format(
      "FNM links           {} in {} systems, {}\n", rings.links, rings.systems,
      rings.systems == 0 ? "no system of several switches"
      : rings.findings.empty()
          ? "all rings closed"
          : fmt::format("{} switches in rings that are not closed", rings.findings.size()));
}

std::string verdict_text(const Fabric& fabric, const Verdict& verdict,
                         std::uint32_t planes_stated) {
  if (!verdict.verified) return "not verified\n";
  std::string text = reach_text("CA to CA:", verdict.ca_to_ca) +
                     reach_text("switch to CA:", verdict.switch_to_ca) +
                     reach_text("CA to switch:", verdict.ca_to_switch) +
                     reach_text("switch to switch:", verdict.switch_to_switch);
  text += fmt::format("forwarding loops:  {}\n", verdict.loops);
  for (const WalkFailure& failure : verdict.failures)
    text += fmt::format("  {} to LID {} ({}): {} at {}\n", source_name(fabric, failure.source),
                        failure.lid.value(), destination_name(fabric, failure.lid),
                        name(failure.end), where_text(fabric, failure));
  if (verdict.has_credit_loop()) {
    text += fmt::format("credit loop over {} channels:\n{}", verdict.credit_loop.size(),
                        describe_cycle(fabric, verdict.credit_loop));
  } else {
    text += fmt::format("no credit loops among {} channel dependencies\n", verdict.dependencies);
  }
  text += lanes_text(fabric, verdict);
  text += multicast_text(fabric, verdict);
  if (!verdict.switch_credit_loop.empty())
    text += fmt::format(
        "packets to or from port 0 of switches form a credit loop over {} channels:\n{}",
        verdict.switch_credit_loop.size(), describe_cycle(fabric, verdict.switch_credit_loop));
  text += fmt::format("all traffic on one SL: deadlock-free on {}\n",
                      verdict.single_sls == 0 ? "no SL" : "SLs " + sl_ranges(verdict.single_sls));
  for (const PlaneVerdict& plane : plane_verdicts(fabric, verdict, planes_stated))
    text += describe(plane) + '\n';
  if (verdict.replies_ignored)
    text += "WARNING: replies ignored: the proof holds for one-way traffic only\n";
  return text + (passes(verdict) ? "PASS\n" : fmt::format("FAIL: {}\n", why_fails(verdict)));
}

bool passes(const Verdict& verdict, bool allow_empty) {
  return (allow_empty ? all_failures(verdict) : why_fails(verdict)).empty();
}

void add_allow_empty(CLI::App& app, bool& allow_empty) {
  app.add_flag("--allow-empty", allow_empty,
               "Exit with status 0 for a fabric without CAs, links or LIDs, if nothing else fails");
}

Json adaptive_json(const Routes& routes) {
  if (!routes.adaptive) return nullptr;
  const ArCount counted = count(*routes.adaptive);
  return {{"switches", counted.switches},
          {"groups", counted.groups},
          {"groups_max", counted.groups_max},
          {"entries", counted.entries},
          {"private_tables", counted.private_tables},
          {"private_table_switches", counted.private_switches}};
}

std::string adaptive_text(const Routes& routes) {
  if (!routes.adaptive) return {};
  const ArCount counted = count(*routes.adaptive);
  std::string text = fmt::format(
      "adaptive            {} entries at {} switches, {} port groups (at most {} per switch); the "
      "results\n                    below hold for every selection of ports\n",
      counted.entries, counted.switches, counted.groups, counted.groups_max);
  if (counted.private_tables > 0)
    text += fmt::format("private tables      {} at {} switches, by input port and SL\n",
                        counted.private_tables, counted.private_switches);
  return text;
}

Json single_sls_json(std::uint16_t sls) {
  Json json = Json::array();
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    if ((sls >> sl & 1) != 0) json.push_back(sl);
  return json;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t peak_rss_bytes() {
  // getrusage() is not used, because its value includes the peak of the process before exec().
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const auto words = split_words(line);
    if (words.size() > 1 && words[0] == "VmHWM:")
      return parse_number<std::uint64_t>(words[1]).value_or(0) * 1024;
  }
  return 0;
}

}  // namespace weft::cli
