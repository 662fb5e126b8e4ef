// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/topology.h"

#include <string>
#include <utility>

#include "sm/sweep/topology_findings.h"

namespace weft::http_data {

Json topology_findings(const SweepReport& report, Page page) {
  Json list = Json::array();
  std::size_t total = 0;
  if (report.topology_findings)
    for (const FabricChange& finding : *report.topology_findings) {
      if (total++ < page.offset || list.size() >= page.limit) continue;
      Json json{{"finding", std::string(finding_name(finding.kind))},
                {"node", hex(finding.node)},
                {"text", finding.what}};
      if (finding.port != PortNum(0)) json["port"] = finding.port.value();
      if (finding.peer != Guid(0)) {
        json["peer"] = hex(finding.peer);
        json["peer_port"] = finding.peer_port.value();
      }
      list.push_back(std::move(json));
    }
  return {{"total", total},
          {"offset", page.offset},
          {"compared", report.topology_findings.has_value()},
          {"findings", std::move(list)}};
}

}  // namespace weft::http_data
