// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/planes.h"

#include "verify/planes/plane_verdicts.h"

namespace weft::http_data {

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

Json planes(const Snapshot& snapshot) {
  return {{"planes", planes(snapshot.fabric, snapshot.verdict, snapshot.report.planes.stated)},
          {"devices", planar_devices(snapshot.report.planes)}};
}

}  // namespace weft::http_data
