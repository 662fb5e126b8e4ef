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

/// Adds the record of a virtual port, with the LID of its CA port, to the answer. Only a request
/// for its GUID selects it, because otherwise several records would have the same LID.
void add_vport(const SaQuery& query, SaAnswer& answer) {
  const bool is_first = query.slice.begin == 0 && query.slice.end > 0;
  if (!query.has_component(kPortGuidBit) || !is_first) return;
  const Guid guid(wire::read_bits(query.request.record.data(), kPortGuidAt, 64));
  const auto identity = query.view.identify(make_gid(query.view.options().subnet_prefix, guid));
  const Vport* const vport = query.view.snapshot().vports.find(guid);
  if (!identity || identity->kind != SaView::Identity::Kind::kVport || vport == nullptr ||
      !query.view.share_partition(query.requester, identity->pkeys))
    return;
  const Endport& host = query.view.fabric().endport(identity->endport);
  NodeRecord record{host.lid, query.view.observed(host.node).info, {vport->description}};
  record.info.node_guid = vport->node.node_guid;
  record.info.port_guid = guid;
  record.info.local_port = vport->node.local_port;
  record.info.port_count = vport->node.port_count;
  record.info.partition_cap = vport->node.partition_cap;
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
