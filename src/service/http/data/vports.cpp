// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/vports.h"

#include <fmt/format.h>

namespace weft::http_data {
namespace {

Json vport_json(const Snapshot& snapshot, const Endport& host, const Vport& vport, bool is_owner) {
  const Fabric& fabric = snapshot.fabric;
  const VportOwner at{fabric.port(host.port).guid, vport.index};
  const bool is_over = is_owner && snapshot.vport_lids.is_over_limit(at, vport.info.port_guid);
  const Lid lid =
      is_over ? kLidNone : vport_lid(snapshot.vports, snapshot.vport_lids, at, host.lid);
  Json json{{"guid", hex(vport.info.port_guid)},
            {"node_guid", hex(vport.node.node_guid)},
            {"description", vport.description},
            {"host", end_of(fabric, fabric.port(host.port))},
            {"host_guid", hex(at.host)},
            {"index", vport.index},
            {"state", vport.info.state == PortState::kActive ? "active" : "init"},
            {"lid", lid.value()}};
  json["duplicate"] = !is_owner && !vport.forbidden;
  json["forbidden"] = vport.forbidden;
  json["over_lid_limit"] = is_over;
  json["aliases"] = Json::array();
  for (const Guid alias : vport.aliases) json["aliases"].push_back(hex(alias));
  json["pkeys"] = Json::array();
  if (is_owner)
    for (const Pkey pkey : snapshot.pkeys.vport_table(vport.info.port_guid))
      if (pkey != Pkey(0)) json["pkeys"].push_back(hex(pkey));
  return json;
}

}  // namespace

Json vports(const Snapshot& snapshot, std::optional<Guid> host, Page page) {
  const Fabric& fabric = snapshot.fabric;
  const Vports& known = snapshot.vports;
  std::size_t total = 0;
  Json list = Json::array();
  for (const auto& [guid, vports] : known.hosts()) {
    const auto endport = fabric.find_endport(guid);
    if (!endport) continue;
    const Endport& at = fabric.endport(*endport);
    if (host && *host != guid && *host != fabric.node(at.node).node_guid) continue;
    for (const Vport& vport : vports->vports) {
      if (vport.index == 0) continue;
      if (total++ < page.offset || list.size() >= page.limit) continue;
      const auto owner = known.owners().find(vport.info.port_guid);
      const bool is_owner =
          owner != known.owners().end() && owner->second == VportOwner{guid, vport.index};
      list.push_back(vport_json(snapshot, at, vport, is_owner));
    }
  }
  Json absent = Json::array();
  if (!host)
    for (const auto& [guid, absence] : known.absent())
      absent.push_back({{"guid", hex(guid)}, {"last_host_guid", hex(absence.last.host)}});
  return {{"total", total},
          {"hosts", known.hosts().size()},
          {"offset", page.offset},
          {"vports", std::move(list)},
          {"absent", std::move(absent)}};
}

}  // namespace weft::http_data
