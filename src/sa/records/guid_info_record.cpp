// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/guid_info_record.h"

#include <algorithm>

#include "base/log.h"
#include "sa/attribute.h"
#include "sa/state.h"
#include "sa/trust.h"

namespace weft::sa {
namespace {

constexpr Component kGuidInfoRecordComponents[]{
    {0, 0, 16},   {1, 16, 8},   {2, 24, 8},   {3, 32, 32},  {4, 64, 64},   {5, 128, 64},
    {6, 192, 64}, {7, 256, 64}, {8, 320, 64}, {9, 384, 64}, {10, 448, 64}, {11, 512, 64}};

constexpr unsigned kGuidInfoLidBit = 0;
constexpr unsigned kBlockBit = 1;
constexpr unsigned kFirstGuidBit = 4;  // followed by one bit per GUID

const Port& port_of(const SaView& view, EndportId endport) {
  return view.fabric().port(view.fabric().endport(endport).port);
}

std::size_t capacity_of(const SaView& view, EndportId endport) {
  const auto& ports = view.observed(view.fabric().endport(endport).node).ports;
  return ports[port_of(view, endport).num.value()].guid_cap;
}

std::size_t blocks_of(const SaView& view, EndportId endport) {
  return (capacity_of(view, endport) + GuidInfo::kEntries - 1) / GuidInfo::kEntries;
}

GuidInfoRecord guid_info_record(const State& state, const SaView& view, EndportId endport,
                                std::size_t block) {
  const Guid port = port_of(view, endport).guid;
  const auto held = state.aliases.all().find(port);
  static const std::vector<Guid> none;
  return {view.fabric().endport(endport).lid, static_cast<std::uint8_t>(block),
          guid_block(port, held == state.aliases.all().end() ? none : held->second, block)};
}

/// A change of GUIDs: the port, and the record of the request.
struct GuidChange {
  EndportId endport = kNoEndport;
  GuidInfoRecord wanted;
};

/// Fills `change` from the request and returns the status. Only the port itself, or a trusted
/// requester, may change the GUIDs of a port.
std::uint16_t read_change(State& state, const SaQuery& query, GuidChange& change) {
  if (!query.has_component(kGuidInfoLidBit) || !query.has_component(kBlockBit))
    return sa_status::kInsufficientComponents;
  change.wanted = decode_guid_info_record(query.request.as<GuidInfoRecord>());
  change.endport = query.view.fabric().endport_of(change.wanted.lid);
  if (change.endport == kNoEndport || !may_act_for(query, change.endport) ||
      change.wanted.block >= blocks_of(query.view, change.endport))
    return sa_status::kNoRecords;
  if (change.endport != query.requester && !query.request.trusted) {
    count_refusal(state, query, Refusal::kAlias);
    return sa_status::kDenied;
  }
  // Index 0 is the port's own GUID and cannot be changed.
  if (change.wanted.block == 0 && query.has_component(kFirstGuidBit))
    return sa_status::kRequestInvalid;
  return mad_status::kGood;
}

/// Calls `take` for each index in the component mask. Indexes beyond the port's capacity are left
/// out.
template <class Take>
void for_each_requested(const SaQuery& query, const GuidChange& change, Take take) {
  const std::size_t first = change.wanted.block * GuidInfo::kEntries;
  const std::size_t capacity = capacity_of(query.view, change.endport);
  for (unsigned i = 0; i < GuidInfo::kEntries && first + i < capacity; ++i)
    if (query.has_component(kFirstGuidBit + i)) take(first + i, change.wanted.table.guids[i]);
}

std::uint16_t guid_info_records(State& state, const SaQuery& query, SaAnswer& answer) {
  const SaView& view = query.view;
  const auto offer = [&](EndportId endport) {
    if (!view.share_partition(query.requester, endport)) return;
    for (std::size_t block = 0; block < blocks_of(view, endport); ++block) {
      const auto bytes = encode(guid_info_record(state, view, endport, block));
      if (query.filter.matches(bytes)) answer.add(bytes);
    }
  };
  if (!query.has_component(kGuidInfoLidBit)) {
    for (const EndportId endport : view.endports()) offer(endport);
    return mad_status::kGood;
  }
  const Lid lid = decode_guid_info_record(query.request.as<GuidInfoRecord>()).lid;
  if (const EndportId endport = view.fabric().endport_of(lid); endport != kNoEndport)
    offer(endport);
  return mad_status::kGood;
}

/// A GUID of 0 requests an alias: the alias that is already assigned, else a new alias. A GUID that
/// is already assigned, or that tenants_policy_file does not allow on the port, is not set; the
/// answer contains the GUIDs that the port has.
std::uint16_t set_guids(State& state, const SaQuery& query, SaAnswer& answer) {
  GuidChange change;
  if (const auto status = read_change(state, query, change); status != mad_status::kGood)
    return status;
  const Fabric& fabric = query.view.fabric();
  const Guid port = port_of(query.view, change.endport).guid;
  const auto is_taken = [&](Guid guid) {
    return fabric.find_endport(guid) || state.aliases.port_of(guid) ||
           query.view.find(make_gid(query.view.options().subnet_prefix, guid));
  };
  for_each_requested(query, change, [&](std::size_t index, Guid guid) {
    const Guid held = state.aliases.at(port, index);
    if (held != Guid(0) && (guid == held || guid == Guid(0))) return;
    if (guid == Guid(0)) guid = state.aliases.make(query.view.options().sm_assigned_guid);
    if (guid == Guid(0)) return;
    const Tenants* tenants = query.view.options().tenants.get();
    if (tenants != nullptr && !tenants->may_use(guid, port))
      return count_refusal(state, query, Refusal::kTenantGuid);
    if (!is_taken(guid)) return state.aliases.set(port, index, guid);
    count_refusal(state, query, Refusal::kAliasTaken);
    log::debug("SA: alias GUID {:#018x} for index {} of port {:#018x} is already assigned",
               guid.value(), index, port.value());
  });
  state.groups.drop_members_of_lost_ports(query.view);
  answer.add(encode(guid_info_record(state, query.view, change.endport, change.wanted.block)));
  return mad_status::kGood;
}

std::uint16_t delete_guids(State& state, const SaQuery& query, SaAnswer& answer) {
  GuidChange change;
  if (const auto status = read_change(state, query, change); status != mad_status::kGood)
    return status;
  const Guid port = port_of(query.view, change.endport).guid;
  for_each_requested(query, change, [&](std::size_t index, Guid) {
    if (state.aliases.at(port, index) != Guid(0)) state.aliases.set(port, index, Guid(0));
  });
  state.groups.drop_members_of_lost_ports(query.view);
  answer.add(encode(guid_info_record(state, query.view, change.endport, change.wanted.block)));
  return mad_status::kGood;
}

}  // namespace

const Attribute kGuidInfoRecordAttribute{
    .id = SaAttribute::kGuidInfoRecord,
    .name = "GUIDInfoRecord",
    .record_size = GuidInfoRecord::kSize,
    .components = kGuidInfoRecordComponents,
    .get = &guid_info_records,
    .table = &guid_info_records,
    .set = &set_guids,
    .remove = &delete_guids,
};

}  // namespace weft::sa
