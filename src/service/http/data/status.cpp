// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/status.h"

#include <utility>

#include "service/metrics/metrics.h"
#include "sm/election/election.h"
#include "verify/failure_text.h"

namespace weft::http_data {
namespace {

Json seconds_json(const SweepReport& report) {
  const auto& seconds = report.seconds;
  return {{"observe", seconds.observe}, {"read_tables", seconds.read_tables},
          {"lids", seconds.lids},       {"route", seconds.route},
          {"verify", seconds.verify},   {"diff", seconds.diff},
          {"apply", seconds.apply},     {"total", seconds.total}};
}

Json sweep_json(std::uint64_t number, const SweepReport& report) {
  return {{"number", number},
          {"reason", report.reason},
          {"seconds", seconds_json(report)},
          {"changes", report.changes.size()},
          {"warnings", report.warnings}};
}

/// JSON of the programming of adaptive routing; null if the routes have no AR groups.
Json adaptive_json(const Snapshot& snapshot) {
  if (!snapshot.routes.adaptive) return nullptr;
  const ArReport& report = snapshot.report.adaptive;
  return {{"switches", report.on},
          {"notifying", report.notifying},
          {"errors", report.errors},
          {"failures", report.failures},
          {"ended", report.ended}};
}

Json routes_json(const Snapshot& snapshot) {
  Json fallbacks = Json::array();
  for (const EngineAttempt& attempt : snapshot.report.engines_failed)
    fallbacks.push_back({{"engine", attempt.engine}, {"reason", attempt.reason}});
  return {{"engine", snapshot.routes.engine},    {"fallbacks", std::move(fallbacks)},
          {"vls", snapshot.routes.vls},          {"notes", snapshot.routes.notes},
          {"adaptive", adaptive_json(snapshot)}, {"verify", verdict(snapshot.verdict)}};
}

/// JSON of the managers of the subnet, with node and port if they are known.
Json managers_json(const SmStatus& status) {
  Json managers = Json::array();
  for (const ManagerStatus& manager : status.managers) {
    managers.push_back({{"guid", hex(manager.guid)},
                        {"state", name(manager.state)},
                        {"priority", manager.priority},
                        {"self", manager.self},
                        {"name", nullptr},
                        {"node", nullptr},
                        {"port", nullptr},
                        {"lid", nullptr}});
    Json& json = managers.back();
    if (manager.lid != kLidNone) json["lid"] = manager.lid.value();
    if (manager.node == Guid(0)) continue;
    json["name"] = manager.name;
    json["node"] = hex(manager.node);
    json["port"] = manager.port.value();
  }
  return managers;
}

}  // namespace

Json verdict(const Verdict& verdict) {
  return {{"ok", verdict.ok()},
          {"unreachable", verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived},
          {"loops", verdict.loops},
          {"credit_loops", verdict.has_credit_loop()},
          {"switches_unreachable", verdict.ca_to_switch.missing() + verdict.switch_to_ca.missing()},
          {"lanes_missing", verdict.lanes_missing},
          {"replies", verdict.replies_ignored ? "ignored" : "counted"},
          {"single_sls", sl_ranges(verdict.single_sls)},
          {"why", all_failures(verdict)}};
}

Json fabric(const SmBoard::Posted& posted, const std::string& version) {
  const SmStatus& status = posted.status;
  const std::string why = reason_not_ready(posted);
  Json json{{"version", version},
            {"emulated", posted.settings->emulated},
            {"state", name(status.state)},
            {"priority", status.priority},
            {"ready", why.empty()},
            {"reason", why},
            {"up", status.up},
            {"error", status.error},
            {"sweeping", status.sweeping},
            {"heavy_sweeps", status.heavy_sweeps},
            {"unhealthy_ports", status.unhealthy_ports->size()},
            {"history", !posted.settings->history_file.empty()},
            {"managers", managers_json(status)},
            {"fabric", nullptr},
            {"routes", nullptr},
            {"sweep", nullptr},
            {"full_sweep", nullptr}};
  if (status.tally.full) {
    json["full_sweep"] = sweep_json(status.tally.full_number, *status.tally.full);
    json["full_sweep"]["up"] = status.tally.full->up;
    json["full_sweep"]["error"] = status.tally.full->error;
  }
  if (!posted.snapshot) return json;
  const Snapshot& snapshot = *posted.snapshot;
  const Fabric& fabric = snapshot.fabric;
  json["fabric"] = {
      {"switches", fabric.switch_count()},   {"hosts", fabric.ca_count()},
      {"links", fabric.link_count()},        {"switch_links", fabric.switch_link_count()},
      {"lid_top", fabric.lid_top().value()}, {"vport_hosts", snapshot.vports.hosts().size()},
      {"vports", snapshot.vports.count()}};
  json["routes"] = routes_json(snapshot);
  json["sweep"] = sweep_json(snapshot.sweep, snapshot.report);
  return json;
}

}  // namespace weft::http_data
