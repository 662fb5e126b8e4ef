// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/partitions.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <utility>

namespace weft::http_data {
namespace {

/// Calls `take` for each P_Key of each endport and virtual port, with the GUID of the port and the
/// index of the virtual port (0 for an endport).
template <class Take>
void for_each_membership(const Snapshot& snapshot, Take take) {
  const Fabric& fabric = snapshot.fabric;
  const auto take_all = [&](std::span<const Pkey> pkeys, const Endport& endport, Guid guid,
                            unsigned vport) {
    for (const Pkey pkey : pkeys)
      if ((pkey.value() & kPkeyBaseMask) != 0) take(endport, guid, vport, pkey);
  };
  for (const Endport& endport : fabric.endports())
    if (snapshot.pkeys.programs(endport.port))
      take_all(snapshot.pkeys.own_table(endport.port), endport, fabric.port(endport.port).guid, 0);
  for (const Guid guid : snapshot.vports.guids()) {
    const VportOwner& owner = snapshot.vports.owners().at(guid);
    if (const auto host = fabric.find_endport(owner.host))
      take_all(snapshot.pkeys.vport_table(guid), fabric.endport(*host), guid, owner.index);
  }
}

Json partition_head(const Snapshot& snapshot, std::uint16_t base) {
  Json json{{"pkey", fmt::format("0x{:04x}", base)}, {"name", nullptr}};
  json["ipoib"] = false;
  for (const FiledPartition& partition : snapshot.partitions.partitions) {
    if (partition.base != base) continue;
    if (json["name"].is_null()) json["name"] = partition.name;
    if (partition.ipoib) json["ipoib"] = true;
  }
  return json;
}

/// Memberships in the partition file, by GUID, for GUIDs that are neither a port GUID nor the GUID
/// of a virtual port. If a GUID is repeated, its last membership is valid.
std::map<Guid, Membership> other_members(const Snapshot& snapshot, std::uint16_t base) {
  std::map<Guid, Membership> others;
  for (const FiledPartition& partition : snapshot.partitions.partitions)
    for (const FiledMember& member : partition.members)
      if (partition.base == base && member.kind == MemberKind::kGuid &&
          !snapshot.fabric.find_endport(member.guid) &&
          snapshot.vports.find(member.guid) == nullptr)
        others[member.guid] = member.membership;
  return others;
}

/// Adds the members that are alias GUIDs of ports, and the members that are absent.
void add_other_members(const Snapshot& snapshot, std::uint16_t base, Json& json) {
  std::map<Guid, Guid> ports;  // port GUID by alias GUID
  for (const auto& [port, aliases] : snapshot.aliases)
    for (const Guid alias : aliases) ports.emplace(alias, port);
  Json virtual_ones = Json::array(), absent = Json::array();
  for (const auto& [guid, membership] : other_members(snapshot, base)) {
    const Json member{{"guid", hex(guid)}, {"membership", word(membership)}};
    const auto port = ports.find(guid);
    Json& list = port == ports.end() ? absent : virtual_ones;
    list.push_back(member);
    if (port != ports.end()) list.back()["port"] = hex(port->second);
  }
  json["virtual_members"] = std::move(virtual_ones);
  json["absent_members"] = std::move(absent);
}

}  // namespace

Json partitions(const Snapshot& snapshot) {
  struct Members {
    std::size_t full = 0, limited = 0;
  };
  std::map<std::uint16_t, Members> by_base;
  for (const FiledPartition& partition : snapshot.partitions.partitions) by_base[partition.base];
  for_each_membership(snapshot, [&](const Endport&, Guid, unsigned, Pkey pkey) {
    Members& members = by_base[pkey.value() & kPkeyBaseMask];
    ++((pkey.value() & kPkeyFullBit) != 0 ? members.full : members.limited);
  });
  Json list = Json::array();
  for (const auto& [base, members] : by_base) {
    list.push_back(partition_head(snapshot, base));
    list.back()["full_members"] = members.full;
    list.back()["limited_members"] = members.limited;
  }
  return {{"partitions", std::move(list)}};
}

Result<Json> partition(const Snapshot& snapshot, std::uint16_t base) {
  Json members = Json::array();
  for_each_membership(snapshot, [&](const Endport& endport, Guid guid, unsigned vport, Pkey pkey) {
    if ((pkey.value() & kPkeyBaseMask) != base) return;
    const Port& port = snapshot.fabric.port(endport.port);
    Json member = end_of(snapshot.fabric, port);
    member["guid"] = hex(guid);
    if (vport != 0) member["vport"] = vport;
    member["membership"] = (pkey.value() & kPkeyFullBit) != 0 ? "full" : "limited";
    members.push_back(std::move(member));
  });
  const bool in_file =
      std::ranges::find(snapshot.partitions.partitions, base, &FiledPartition::base) !=
      snapshot.partitions.partitions.end();
  if (members.empty() && !in_file)
    return fail(Code::kUsage, "no partition has P_Key 0x{:04x}", base);
  Json json = partition_head(snapshot, base);
  json["members"] = std::move(members);
  add_other_members(snapshot, base, json);
  return json;
}

}  // namespace weft::http_data
