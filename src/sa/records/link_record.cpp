// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/link_record.h"

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kLinkRecordComponents[]{{0, 0, 16}, {1, 16, 8}, {2, 24, 8}, {3, 32, 16}};

constexpr unsigned kToLidBit = 3;

std::size_t link_parts(const SaQuery& query) {
  return query.has_component(kToLidBit) ? 1 : parts_by_node(query);
}

std::uint16_t link_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Fabric& fabric = query.view.fabric();
  const auto offer_link = [&](const Port& port) {
    if (port.peer == kNoPort) return;
    const Port& peer = fabric.port(port.peer);
    const EndportId from = query.view.endport_of_port(port.node, port.num);
    const EndportId to = query.view.endport_of_port(peer.node, peer.num);
    if (!is_visible(query, from) || !is_visible(query, to)) return;
    offer(query, LinkRecord{fabric.endport(from).lid, port.num, peer.num, fabric.endport(to).lid},
          answer);
  };
  if (query.has_component(kToLidBit) &&
      !query.has_component(kLidBit)) {  // in order of the peer ports
    const EndportId to = fabric.endport_of(decode_link_record(query.request.as<LinkRecord>()).to);
    if (to == kNoEndport) return mad_status::kGood;
    for (const Port& port : fabric.ports(fabric.endport(to).node))
      if (port.peer != kNoPort) offer_link(fabric.port(port.peer));
    return mad_status::kGood;
  }
  for_nodes(query, named_lid(query), [&](NodeId node) {
    for (const Port& port : fabric.ports(node)) offer_link(port);
  });
  return mad_status::kGood;
}

}  // namespace

const Attribute kLinkRecordAttribute{
    .id = SaAttribute::kLinkRecord,
    .name = "LinkRecord",
    .record_size = LinkRecord::kSize,
    .components = kLinkRecordComponents,
    .get = &link_records,
    .table = &link_records,
    .parts = &link_parts,
};

}  // namespace weft::sa
