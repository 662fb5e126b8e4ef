// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/node_record.h"

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kNodeRecordComponents[]{
    {0, 0, 16},    {1, 0, 0},     {2, 32, 8},   {3, 40, 8},    {4, 48, 8},
    {5, 56, 8},    {6, 64, 64},   {7, 128, 64}, {8, 192, 64},  {9, 256, 16},
    {10, 272, 16}, {11, 288, 32}, {12, 320, 8}, {13, 328, 24}, {14, 352, 512}};

/// The NodeDescription is that of the device, not of node_name_map_name.
std::string own_description(const Node& node, const ObservedNode& seen) {
  return seen.own_description.empty() ? node.description : seen.own_description;
}

std::uint16_t node_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Fabric& fabric = query.view.fabric();
  for_nodes(query, named_lid(query), [&](NodeId node) {
    const ObservedNode& seen = query.view.observed(node);
    for (const Port& port : fabric.ports(node)) {
      const EndportId endport = fabric.endport_at(fabric.port_id(node, port.num));
      if (endport == kNoEndport || fabric.endport(endport).lid == kLidNone) continue;
      if (!visible(query, endport)) continue;
      NodeRecord record{
          fabric.endport(endport).lid, seen.info, {own_description(fabric.node(node), seen)}};
      record.info.port_guid = port.guid;
      record.info.local_port = port.num;
      offer(query, record, answer);
    }
  });
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
