// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/planes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "service/http/data/nodes.h"
#include "sm/planes/aggregated_ports.h"
#include "verify/planes/plane_verdicts.h"

namespace weft::http_data {
namespace {

Json aport_json(const Snapshot& snapshot, const AggregatedPort& aport) {
  Json ports = Json::array();
  for (const PlanePort& one : aport.ports)
    ports.push_back(
        {{"plane", one.plane}, {"port", port_details(snapshot, snapshot.fabric.port(one.port))}});
  return {{"device", hex(aport.device)},
          {"type", aport.is_switch ? "SW" : "CA"},
          {"number", aport.number},
          {"planes", aport.planes},
          {"without_link", aport.planes_without_link()},
          {"ports", std::move(ports)}};
}

}  // namespace

Json planes(const Fabric& fabric, const Verdict& verdict, std::uint32_t stated) {
  Json json = Json::array();
  for (const PlaneVerdict& plane : plane_verdicts(fabric, verdict, stated))
    json.push_back({{"plane", plane.number},
                    {"state", name(plane.state)},
                    {"usable", plane.is_usable()},
                    {"hosts", plane.size.hosts},
                    {"hosts_of_all", plane.hosts},
                    {"ports", plane.size.ports},
                    {"switches", plane.size.switches},
                    {"pairs", plane.pairs},
                    {"cut_off", plane.cut_off},
                    {"failures", plane.failures},
                    {"credit_loop", plane.credit_loop},
                    {"lanes_missing", plane.lanes_missing}});
  return json;
}

Json planar_devices(const PlaneReport& report) {
  return {{"announcing", report.devices},
          {"answering", report.answering},
          {"multiplane_cas", report.multiplane_cas},
          {"ports", report.ports},
          {"contradictions", report.contradictions}};
}

Json fnm(const PlaneReport& report) {
  Json findings = Json::array();
  for (const FnmRingFinding& finding : report.fnm_ring_findings)
    findings.push_back({{"system", hex(finding.system)},
                        {"node", hex(finding.node)},
                        {"name", finding.name},
                        {"ports_without_link", finding.ports_without_link},
                        {"links", finding.links},
                        {"expected_links", kFnmLinksOfAsic},
                        {"text", describe(finding)}});
  return {{"ports", report.fnm_ports},
          {"links", report.fnm_links},
          {"systems", report.fnm_systems},
          {"findings", std::move(findings)}};
}

Json planes(const Snapshot& snapshot) {
  const PlaneReport& report = snapshot.report.planes;
  const std::vector<AggregatedPort> aports = aggregated_ports(snapshot.fabric, *snapshot.planar);
  std::map<std::uint8_t, std::uint64_t> without_link = count_without_link(aports);
  Json list = planes(snapshot.fabric, snapshot.verdict, report.stated);
  for (Json& plane : list)
    plane["aports_without_link"] = without_link[plane["plane"].get<std::uint8_t>()];
  Json devices = planar_devices(report);
  devices["aports"] = aports.size();
  devices["aports_incomplete"] = std::ranges::count_if(
      aports, [](const AggregatedPort& aport) { return !aport.planes_without_link().empty(); });
  return {{"planes", std::move(list)},
          {"devices", std::move(devices)},
          {"deviations", report.deviations},
          {"fnm", fnm(report)}};
}

Json aports(const Snapshot& snapshot, std::optional<NodeId> node, Page page) {
  std::size_t total = 0;
  Json list = Json::array();
  for (const AggregatedPort& aport : aggregated_ports(snapshot.fabric, *snapshot.planar)) {
    const auto is_of_node = [&](const PlanePort& port) {
      return snapshot.fabric.port(port.port).node == *node;
    };
    if (node && std::ranges::none_of(aport.ports, is_of_node)) continue;
    if (total++ < page.offset || list.size() >= page.limit) continue;
    list.push_back(aport_json(snapshot, aport));
  }
  return {{"total", total}, {"offset", page.offset}, {"aports", std::move(list)}};
}

}  // namespace weft::http_data
