// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Common parts of the records of the topology: the nodes, switches and ports that a request selects
// and its requester may see, in order of GUIDs and ports, and the filter of the request.
#pragma once

#include "sa/query.h"

namespace weft::sa {

inline constexpr unsigned kLidBit = 0;  // in every record that begins with a LID

template <class Record>
void offer(const SaQuery& query, const Record& record, SaAnswer& answer) {
  const auto bytes = encode(record);
  if (query.filter.matches(bytes)) answer.add(bytes);
}

/// Adds `record` to the answer if the request matches `compared`.
template <class Record>
void offer(const SaQuery& query, const Record& compared, const Record& record, SaAnswer& answer) {
  if (query.filter.matches(encode(compared))) answer.add(encode(record));
}

inline bool is_visible(const SaQuery& query, EndportId endport) {
  return endport != kNoEndport && query.view.share_partition(query.requester, endport);
}

/// Calls `take` for the node of the endport with the LID `named`, or, if the request selects no
/// LID, for the nodes of its slice.
template <class Take>
void for_nodes(const SaQuery& query, Lid named, Take take) {
  const SaView& view = query.view;
  if (!query.has_component(kLidBit)) {
    for (const NodeId node : query.slice.of(view.nodes())) take(node);
    return;
  }
  const EndportId endport = view.endport_of(named);
  if (endport != kNoEndport) take(view.fabric().endport(endport).node);
}

template <class Take>
void for_switches(const SaQuery& query, Lid named, Take take) {
  for_nodes(query, named, [&](NodeId node) {
    if (!query.view.fabric().is_switch(node)) return;
    const SwitchId sw(node.value());
    if (is_visible(query, Fabric::endport_of(sw)))
      take(sw, query.view.fabric().endport(Fabric::endport_of(sw)).lid);
  });
}

/// Calls `take` for the ports of a node that responded to discovery, with their LID (on a switch
/// the LID of port 0).
template <class Take>
void for_ports_of(const SaQuery& query, Lid named, NodeId node, Take take) {
  const ObservedNode& seen = query.view.observed(node);
  for (const Port& port : query.view.fabric().ports(node)) {
    const EndportId endport = query.view.endport_of_port(node, port.num);
    if (!seen.answered[port.num.value()] || !is_visible(query, endport)) continue;
    const Lid lid = query.view.fabric().endport(endport).lid;
    if (query.has_component(kLidBit) && lid != named) continue;
    take(node, port, lid);
  }
}

template <class Take>
void for_ports(const SaQuery& query, Lid named, Take take) {
  for_nodes(query, named, [&](NodeId node) { for_ports_of(query, named, node, take); });
}

/// Like for_ports(), in the order of the ports' GUIDs (on a switch the GUID of port 0), as in
/// OpenSM's tables of VLs and P_Keys.
template <class Take>
void for_ports_by_guid(const SaQuery& query, Lid named, Take take) {
  const SaView& view = query.view;
  const auto take_ports = [&](EndportId endport) {
    if (!is_visible(query, endport)) return;
    const Endport& at = view.fabric().endport(endport);
    if (query.has_component(kLidBit) && at.lid != named) return;
    for (const Port& port : view.fabric().ports(at.node))
      if (view.observed(at.node).answered[port.num.value()] &&
          view.endport_of_port(at.node, port.num) == endport)
        take(at.node, port, at.lid);
  };
  if (query.has_component(kLidBit)) return take_ports(view.fabric().endport_of(named));
  for (const EndportId endport : query.slice.of(view.endports())) take_ports(endport);
}

/// Calls `take(vport, port, LID)` for each virtual port of a node that has a LID of its own and
/// that the requester may see, if enable_virt_rec_ext adds such records to the answer.
template <class Take>
void for_vports_with_lids(const SaQuery& query, NodeId node, Take take) {
  const SaView& view = query.view;
  if (!view.options().virt_record_extension) return;
  for (const Port& port : view.fabric().ports(node)) {
    const HostVports* const host = view.snapshot().vports.host(port.guid);
    if (host == nullptr) continue;
    for (const Vport& vport : host->vports) {
      const auto identity =
          view.identify(make_gid(view.options().subnet_prefix, vport.info.port_guid));
      const auto owner = view.snapshot().vports.owners().find(vport.info.port_guid);
      const Lid own = view.snapshot().vport_lids.of(vport.info.port_guid);
      if (own == kLidNone || !identity || owner == view.snapshot().vports.owners().end() ||
          owner->second != VportOwner{port.guid, vport.index} ||
          !view.share_partition(query.requester, identity->pkeys))
        continue;
      take(vport, port, own);
    }
  }
}

/// The LID at the start of the record of the request.
inline Lid named_lid(const SaQuery& query) {
  return decode_link_record(query.request.as<LinkRecord>()).from;
}

/// Number of parts of a table of nodes; 1 for a request with a LID. parts_by_endport() is the same
/// for a table of endports.
inline std::size_t parts_by_node(const SaQuery& query) {
  return query.has_component(kLidBit) ? 1 : query.view.nodes().size();
}
inline std::size_t parts_by_endport(const SaQuery& query) {
  return query.has_component(kLidBit) ? 1 : query.view.endports().size();
}

}  // namespace weft::sa
