// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/ufm/ufm_partitions.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "service/http/ufm/ufm_orders.h"
#include "service/http/ufm/ufm_rates.h"

namespace weft::ufm {
namespace {

constexpr std::uint8_t kGroupRate = 3, kGroupMtu = 4;  // default codes of a broadcast group

struct Member {
  bool full = false;
  bool index0 = false;
};
using Members = std::map<Guid, Member>;

/// All members by P_Key: the ports that the rules select, and the GUIDs in the file that no
/// endport of the fabric has, such as the port GUIDs of absent hosts.
std::map<std::uint16_t, Members> members_of(const Snapshot& snapshot) {
  const Fabric& fabric = snapshot.fabric;
  std::map<std::uint16_t, Members> all;
  std::vector<std::string> known_warnings;
  const auto ports = resolve_partitions(snapshot.partitions, fabric, snapshot.sm, known_warnings);
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
    for (const PortMember& member : ports[e].members)
      all[member.base][fabric.port(fabric.endport(EndportId(e)).port).guid] = {
          member.membership != Membership::kLimited, ports[e].index0 == member.base};
  for (const FiledPartition& partition : snapshot.partitions.partitions)
    for (const FiledMember& member : partition.members)
      if (member.kind == MemberKind::kGuid && !fabric.find_endport(member.guid))
        all[partition.base][member.guid] = {member.membership != Membership::kLimited,
                                            partition.index0};
  return all;
}

Json guids_json(const Members& members) {
  Json list = Json::array();
  for (const auto& [guid, member] : members)
    list.push_back({{"guid", fmt::format("{:016x}", guid.value())},
                    {"membership", member.full ? "full" : "limited"},
                    {"index0", member.index0}});
  return list;
}

Json quality_json(const FiledPartition& head) {
  const double rate = rate_gbps(head.flags.rate.value_or(kGroupRate));
  return {{"mtu_limit", mtu_kilobytes(head.flags.mtu.value_or(kGroupMtu))},
          {"service_level", head.flags.sl.value_or(0)},
          {"rate_limit", rate}};
}

/// Membership in the default partition of ports that no other rule names.
std::string_view default_membership(const Snapshot& snapshot) {
  Membership membership = Membership::kLimited;
  for (const FiledPartition& partition : snapshot.partitions.partitions)
    for (const FiledMember& member : partition.members)
      if (partition.base == kDefaultPkeyBase && member.kind == MemberKind::kAll)
        membership = member.membership;
  return membership == Membership::kLimited ? "limited" : "full";
}

/// For each partition, the definition with its flags: the first definition with ipoib, otherwise
/// the first definition.
std::map<std::uint16_t, const FiledPartition*> heads_of(const Snapshot& snapshot) {
  std::map<std::uint16_t, const FiledPartition*> heads;
  for (const FiledPartition& partition : snapshot.partitions.partitions) {
    const FiledPartition*& head = heads[partition.base];
    if (head == nullptr || (partition.ipoib && !head->ipoib)) head = &partition;
  }
  return heads;
}

Json partition_json(const Snapshot& snapshot, const FiledPartition& head, const Members* members,
                    PartitionParts parts) {
  Json json{{"partition", head.name}, {"ip_over_ib", head.ipoib}};
  if (parts.guids) json["guids"] = members == nullptr ? Json::array() : guids_json(*members);
  if (parts.quality) json["qos_conf"] = quality_json(head);
  if (head.base == kDefaultPkeyBase) json["membership"] = default_membership(snapshot);
  return json;
}

}  // namespace

Json pkeys(const Snapshot& snapshot) {
  Json list = Json::array();
  for (const auto& [base, head] : heads_of(snapshot)) list.push_back(pkey_text(base));
  return list;
}

Json partitions(const Snapshot& snapshot, PartitionParts parts) {
  const auto members = parts.guids ? members_of(snapshot) : std::map<std::uint16_t, Members>();
  Json json = Json::object();
  for (const auto& [base, head] : heads_of(snapshot)) {
    const auto found = members.find(base);
    json[pkey_text(base)] =
        partition_json(snapshot, *head, found == members.end() ? nullptr : &found->second, parts);
  }
  return json;
}

Json partition(const Snapshot& snapshot, std::uint16_t base, PartitionParts parts) {
  const auto heads = heads_of(snapshot);
  const auto found = heads.find(base);
  if (found == heads.end()) return Json::object();
  const auto members = parts.guids ? members_of(snapshot) : std::map<std::uint16_t, Members>();
  const auto own_members = members.find(base);
  return partition_json(snapshot, *found->second,
                        own_members == members.end() ? nullptr : &own_members->second, parts);
}

}  // namespace weft::ufm
