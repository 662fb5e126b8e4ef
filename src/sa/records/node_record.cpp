// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/node_record.h"

#include "ib/wire.h"
#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kNodeRecordComponents[]{
    {0, 0, 16},    {1, 0, 0},     {2, 32, 8},   {3, 40, 8},    {4, 48, 8},
    {5, 56, 8},    {6, 64, 64},   {7, 128, 64}, {8, 192, 64},  {9, 256, 16},
    {10, 272, 16}, {11, 288, 32}, {12, 320, 8}, {13, 328, 24}, {14, 352, 512}};

/// The NodeDescription of the device, without the names of node_name_map_name.
std::string own_description(const Node& node, const ObservedNode& seen) {
  return seen.own_description.empty() ? node.description : seen.own_description;
}

constexpr unsigned kPortGuidBit = 8, kPortGuidAt = 192;

NodeRecord record_of_vport(const SaQuery& query, NodeId host, const Vport& vport, Lid lid) {
  NodeRecord record{lid, query.view.observed(host).info, {vport.description}};
  record.info.node_guid = vport.node.node_guid;
  record.info.port_guid = vport.info.port_guid;
  record.info.local_port = vport.node.local_port;
  record.info.port_count = vport.node.port_count;
  record.info.partition_cap = vport.node.partition_cap;
  return record;
}

/// Adds the record of the virtual port with the GUID in the request. Without
/// enable_virt_rec_ext only such a request selects a virtual port, because several records could
/// have the same LID.
void add_vport(const SaQuery& query, SaAnswer& answer) {
  const bool is_first = query.slice.begin == 0 && query.slice.end > 0;
  if (!query.has_component(kPortGuidBit) || !is_first) return;
  const Guid guid(wire::read_bits(query.request.record.data(), kPortGuidAt, 64));
  const auto identity = query.view.identify(make_gid(query.view.options().subnet_prefix, guid));
  const Vport* const vport = query.view.snapshot().vports.find(guid);
  if (!identity || identity->kind != SaView::Identity::Kind::kVport || vport == nullptr ||
      !query.view.share_partition(query.requester, identity->pkeys))
    return;
  const bool is_in_table = query.view.options().virt_record_extension &&
                           query.view.snapshot().vport_lids.of(guid) != kLidNone;
  if (is_in_table) return;  // node_records() adds it
  const Endport& host = query.view.fabric().endport(identity->endport);
  NodeRecord record = record_of_vport(query, host.node, *vport,
                                      identity->own_lid == kLidNone ? host.lid : identity->own_lid);
  record.info.port_guid = guid;
  offer(query, record, answer);
}

std::uint16_t node_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Fabric& fabric = query.view.fabric();
  for_nodes(query, named_lid(query), [&](NodeId node) {
    const ObservedNode& seen = query.view.observed(node);
    for (const Port& port : fabric.ports(node)) {
      const EndportId endport = fabric.endport_at(fabric.port_id(node, port.num));
      if (endport == kNoEndport || fabric.endport(endport).lid == kLidNone) continue;
      if (!is_visible(query, endport)) continue;
      NodeRecord record{
          fabric.endport(endport).lid, seen.info, {own_description(fabric.node(node), seen)}};
      record.info.port_guid = port.guid;
      record.info.local_port = port.num;
      offer(query, record, answer);
    }
    for_vports_with_lids(query, node, [&](const Vport& vport, const Port&, Lid lid) {
      offer(query, record_of_vport(query, node, vport, lid), answer);
    });
  });
  add_vport(query, answer);
  return mad_status::kGood;
}

}  // namespace

const Attribute kNodeRecordAttribute{
    .id = SaAttribute::kNodeRecord,
    .name = "NodeRecord",
    .record_size = NodeRecord::kSize,
    .components = kNodeRecordComponents,
    .get = &node_records,
    .table = &node_records,
    .parts = &parts_by_node,
};

}  // namespace weft::sa
