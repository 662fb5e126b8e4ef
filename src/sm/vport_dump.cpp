// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/vport_dump.h"

#include "base/file.h"

namespace weft {
namespace {

bool owns_its_guid(const Snapshot& snapshot, const VportOwner& at, const Vport& vport) {
  const auto owner = snapshot.vports.owners().find(vport.info.port_guid);
  return owner != snapshot.vports.owners().end() && owner->second == at;
}

void append_vport(const Snapshot& snapshot, const VportOwner& at, const Vport& vport, Lid host,
                  std::string& text) {
  text += fmt::format("{:<6} 0x{:016x} 0x{:016x} {:<9} {:<5} ", vport.index,
                      vport.info.port_guid.value(), vport.node.node_guid.value(),
                      vport_state_name(snapshot, at, vport),
                      vport_lid(snapshot.vports, snapshot.vport_lids, at, host).value());
  std::string pkeys, aliases;
  if (owns_its_guid(snapshot, at, vport))
    for (const Pkey pkey : snapshot.pkeys.vport_table(vport.info.port_guid))
      if (pkey != Pkey(0))
        pkeys += fmt::format("{}0x{:04x}", pkeys.empty() ? "" : ",", pkey.value());
  for (const Guid alias : vport.aliases)
    aliases += fmt::format("{}0x{:016x}", aliases.empty() ? "" : ",", alias.value());
  text += fmt::format("{} {} \"{}\"\n", pkeys.empty() ? "-" : pkeys,
                      aliases.empty() ? "-" : aliases, vport.description);
}

}  // namespace

std::string_view vport_state_name(const Snapshot& snapshot, const VportOwner& at,
                                  const Vport& vport) {
  if (vport.forbidden) return "forbidden";
  if (!owns_its_guid(snapshot, at, vport)) return "duplicate";
  if (snapshot.vport_lids.is_over_limit(at, vport.info.port_guid)) return "no-lid";
  return vport.info.state == PortState::kActive ? "active" : "init";
}

std::string vport_dump(const Snapshot& snapshot) {
  const Fabric& fabric = snapshot.fabric;
  std::string text =
      "# Index, port GUID, vnode GUID, state, LID, P_Keys, alias GUIDs, description\n";
  for (const auto& [guid, vports] : snapshot.vports.hosts()) {
    const auto endport = fabric.find_endport(guid);
    if (!endport) continue;
    const Endport& at = fabric.endport(*endport);
    text += fmt::format("\n{}, port GUID 0x{:016x}, LID {}\n", describe(fabric, at.port),
                        guid.value(), at.lid.value());
    for (const Vport& vport : vports->vports)
      if (vport.index != 0) append_vport(snapshot, {guid, vport.index}, vport, at.lid, text);
  }
  if (!snapshot.vports.absent().empty()) text += "\nAbsent: GUID, last port GUID\n";
  for (const auto& [guid, absence] : snapshot.vports.absent())
    text += fmt::format("0x{:016x} 0x{:016x}\n", guid.value(), absence.last.host.value());
  return text;
}

Status write_vport_dump(const Snapshot& snapshot, const std::string& path) {
  return write_file(path, vport_dump(snapshot));
}

}  // namespace weft
