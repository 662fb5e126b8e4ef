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

/// The owner of a table of GUIDs: an endport, or a virtual port with a LID of its own.
struct GuidHolder {
  EndportId endport = kNoEndport;  // of a virtual port, the endport of its host
  Guid port;                       // GUID of the endport, or of the virtual port
  Lid lid;
  std::size_t capacity = 0;
  const Vport* vport = nullptr;
  std::size_t blocks() const { return (capacity + GuidInfo::kEntries - 1) / GuidInfo::kEntries; }
};

GuidHolder holder_of(const SaView& view, EndportId id) {
  const Endport& endport = view.fabric().endport(id);
  const Port& port = view.fabric().port(endport.port);
  return {id, port.guid, endport.lid, view.observed(endport.node).ports[port.num.value()].guid_cap,
          nullptr};
}

/// The holder with this LID; its endport is kNoEndport if there is none.
GuidHolder holder_with(const SaView& view, Lid lid) {
  if (const EndportId id = view.fabric().endport_of(lid); id != kNoEndport)
    return holder_of(view, id);
  const auto guid = view.vport_with(lid);
  const Vport* const vport = guid ? view.snapshot().vports.find(*guid) : nullptr;
  if (vport == nullptr || vport->info.port_guid != *guid) return {};
  return {view.endport_of(lid), *guid, lid, vport->guids.size() * GuidInfo::kEntries, vport};
}

GuidInfoRecord guid_info_record(const State& state, const GuidHolder& holder, std::size_t block) {
  const auto held = state.aliases.all().find(holder.port);
  static const std::vector<Guid> none;
  GuidInfoRecord record{holder.lid, static_cast<std::uint8_t>(block), {}};
  if (held == state.aliases.all().end() && holder.vport != nullptr)
    record.table = holder.vport->guids[block];
  else
    record.table =
        guid_block(holder.port, held == state.aliases.all().end() ? none : held->second, block);
  return record;
}

/// A change of GUIDs: the port, and the record of the request.
struct GuidChange {
  GuidHolder holder;
  GuidInfoRecord wanted;
};

/// Whether the request is from the port itself. The own LID of a virtual port identifies only this
/// virtual port; another LID of the host identifies the host, which may act for its virtual ports.
bool is_from(const SaQuery& query, const GuidHolder& holder) {
  if (holder.endport != query.requester) return false;
  const auto sender = query.view.vport_with(query.request.from.lid);
  return !sender || *sender == holder.port;
}

/// Before the first change of a virtual port, takes over the GUIDs that the device has.
void adopt_guids(State& state, const GuidHolder& holder) {
  if (holder.vport == nullptr || state.aliases.all().contains(holder.port)) return;
  for (std::size_t i = 1; i < holder.capacity; ++i) {
    const Guid guid = holder.vport->guids[i / GuidInfo::kEntries].guids[i % GuidInfo::kEntries];
    if (guid != Guid(0) && guid != holder.port && !state.aliases.port_of(guid))
      state.aliases.set(holder.port, i, guid);
  }
}

/// Fills `change` from the request and returns the status. Only the port itself, or a trusted
/// requester, may change the GUIDs of a port.
std::uint16_t read_change(State& state, const SaQuery& query, GuidChange& change) {
  if (!query.has_component(kGuidInfoLidBit) || !query.has_component(kBlockBit))
    return sa_status::kInsufficientComponents;
  change.wanted = decode_guid_info_record(query.request.as<GuidInfoRecord>());
  change.holder = holder_with(query.view, change.wanted.lid);
  if (change.holder.endport == kNoEndport || !may_act_for(query, change.holder.endport) ||
      change.wanted.block >= change.holder.blocks())
    return sa_status::kNoRecords;
  if (!query.request.trusted && !is_from(query, change.holder)) {
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
  const std::size_t capacity = change.holder.capacity;
  for (unsigned i = 0; i < GuidInfo::kEntries && first + i < capacity; ++i)
    if (query.has_component(kFirstGuidBit + i)) take(first + i, change.wanted.table.guids[i]);
}

std::uint16_t guid_info_records(State& state, const SaQuery& query, SaAnswer& answer) {
  const SaView& view = query.view;
  const auto offer = [&](const GuidHolder& holder) {
    if (!view.share_partition(query.requester, holder.endport)) return;
    for (std::size_t block = 0; block < holder.blocks(); ++block) {
      const auto bytes = encode(guid_info_record(state, holder, block));
      if (query.filter.matches(bytes)) answer.add(bytes);
    }
  };
  if (!query.has_component(kGuidInfoLidBit)) {
    for (const EndportId endport : view.endports()) offer(holder_of(view, endport));
    return mad_status::kGood;
  }
  const Lid lid = decode_guid_info_record(query.request.as<GuidInfoRecord>()).lid;
  if (const GuidHolder holder = holder_with(view, lid); holder.endport != kNoEndport) offer(holder);
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
  const Guid port = change.holder.port;
  const Guid host = fabric.port(fabric.endport(change.holder.endport).port).guid;
  const auto is_taken = [&](Guid guid) {
    if (fabric.find_endport(guid) || state.aliases.port_of(guid)) return true;
    const Vport* const owner = query.view.snapshot().vports.find(guid);
    if (owner != nullptr && owner == change.holder.vport) return guid == port;
    return query.view.find(make_gid(query.view.options().subnet_prefix, guid)).has_value();
  };
  adopt_guids(state, change.holder);
  for_each_requested(query, change, [&](std::size_t index, Guid guid) {
    const Guid held = state.aliases.at(port, index);
    if (held != Guid(0) && (guid == held || guid == Guid(0))) return;
    if (guid == Guid(0)) guid = state.aliases.make(query.view.options().sm_assigned_guid);
    if (guid == Guid(0)) return;
    const Tenants* tenants = query.view.options().tenants.get();
    if (tenants != nullptr && !tenants->may_use(guid, host))
      return count_refusal(state, query, Refusal::kTenantGuid);
    if (!is_taken(guid)) return state.aliases.set(port, index, guid);
    count_refusal(state, query, Refusal::kAliasTaken);
    log::debug("SA: alias GUID {:#018x} for index {} of port {:#018x} is already assigned",
               guid.value(), index, port.value());
  });
  state.groups.drop_members_of_lost_ports(query.view);
  answer.add(encode(guid_info_record(state, change.holder, change.wanted.block)));
  return mad_status::kGood;
}

std::uint16_t delete_guids(State& state, const SaQuery& query, SaAnswer& answer) {
  GuidChange change;
  if (const auto status = read_change(state, query, change); status != mad_status::kGood)
    return status;
  const Guid port = change.holder.port;
  adopt_guids(state, change.holder);
  for_each_requested(query, change, [&](std::size_t index, Guid) {
    if (state.aliases.at(port, index) != Guid(0)) state.aliases.set(port, index, Guid(0));
  });
  state.groups.drop_members_of_lost_ports(query.view);
  answer.add(encode(guid_info_record(state, change.holder, change.wanted.block)));
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
