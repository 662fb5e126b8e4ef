#include "sa/records.h"

#include <algorithm>

#include "sm/programming/mft_blocks.h"

namespace weft::sa {
namespace {

constexpr std::uint16_t kGood = mad_status::kGood;
constexpr unsigned kLidBit = 0;  // of every record that begins with a LID

template <class Record>
void offer(const SaQuery& query, const Record& record, SaAnswer& answer) {
  const auto bytes = encode(record);
  if (query.filter.matches(bytes)) answer.add(bytes);
}

/// Compares the request with `compared` instead of the record.
template <class Record>
void offer(const SaQuery& query, const Record& compared, const Record& record, SaAnswer& answer) {
  if (query.filter.matches(encode(compared))) answer.add(encode(record));
}

bool visible(const SaQuery& query, EndportId endport) {
  return endport != kNoEndport && query.view.share_partition(query.requester, endport);
}

/// Calls `take` for the nodes of a request: the node with the given LID, or all.
template <class Take>
void for_nodes(const SaQuery& query, Lid named, Take take) {
  const SaView& view = query.view;
  if (!query.asks(kLidBit)) {
    for (const NodeId node : query.slice.of(view.nodes())) take(node);
    return;
  }
  const EndportId endport = view.fabric().endport_of(named);
  if (endport != kNoEndport) take(view.fabric().endport(endport).node);
}

template <class Take>
void for_switches(const SaQuery& query, Lid named, Take take) {
  for_nodes(query, named, [&](NodeId node) {
    if (!query.view.fabric().is_switch(node)) return;
    const SwitchId sw(node.value());
    if (visible(query, Fabric::endport_of(sw)))
      take(sw, query.view.fabric().endport(Fabric::endport_of(sw)).lid);
  });
}

/// Ports that responded to discovery, with their LID (on a switch that of port 0).
template <class Take>
void for_ports(const SaQuery& query, Lid named, Take take) {
  for_nodes(query, named, [&](NodeId node) {
    const ObservedNode& seen = query.view.observed(node);
    for (const Port& port : query.view.fabric().ports(node)) {
      const EndportId endport = query.view.endport_of_port(node, port.num);
      if (!seen.asked[port.num.value()] || !visible(query, endport)) continue;
      const Lid lid = query.view.fabric().endport(endport).lid;
      if (query.asks(kLidBit) && lid != named) continue;
      take(node, port, lid);
    }
  });
}

/// The same ports in the order of their GUID (on a switch that of port 0), as in OpenSM's tables of
/// VLs and P_Keys.
template <class Take>
void for_ports_by_guid(const SaQuery& query, Lid named, Take take) {
  const SaView& view = query.view;
  const auto take_ports = [&](EndportId endport) {
    if (!visible(query, endport)) return;
    const Endport& at = view.fabric().endport(endport);
    if (query.asks(kLidBit) && at.lid != named) return;
    for (const Port& port : view.fabric().ports(at.node))
      if (view.observed(at.node).asked[port.num.value()] &&
          view.endport_of_port(at.node, port.num) == endport)
        take(at.node, port, at.lid);
  };
  if (query.asks(kLidBit)) return take_ports(view.fabric().endport_of(named));
  for (const EndportId endport : query.slice.of(view.endports())) take_ports(endport);
}

Lid named_lid(const SaQuery& query) {
  return decode_link_record(query.request.as<LinkRecord>()).from;
}

/// Entries of the P_Key table of a port.
std::size_t pkey_capacity(const ObservedNode& node, PortNum port) {
  return node.info.type == NodeType::kSwitch && port != PortNum(0)
             ? node.switch_info.partition_enforcement_cap
             : node.info.partition_cap;
}

// The capabilities that OpenSM 3.3.23 advertises, as far as they are implemented here.
constexpr std::uint16_t kCapabilities = 0x2602;
constexpr std::uint32_t kCapabilities2 = 0xB5E8;
constexpr std::uint8_t kResponseTime = 0x10;

constexpr unsigned kToLidBit = 3;  // of LinkRecord
constexpr unsigned kOptionsBit = 2, kCapabilityBit = 7, kCapability2Bit = 53;
constexpr std::uint32_t kMatchAllOf = 0x80000000;  // modifier: all bits of the request must be set

template <class Mask>
bool matches_capabilities(Mask wanted, Mask is, bool all_of) {
  return all_of ? (wanted & is) == wanted : wanted == is;
}

}  // namespace

std::uint16_t class_port_info(State&, const SaQuery&, SaAnswer& answer) {
  ClassPortInfo info;
  info.class_version = kSaClassVersion;
  info.capability_mask = kCapabilities;
  info.capability_mask2 = kCapabilities2;
  info.response_time_value = kResponseTime;
  info.redirect_qp = kGsiQpn;
  info.redirect_qkey = kGsiQkey;
  info.trap_qkey = kGsiQkey;
  answer.add(encode(info));
  return kGood;
}

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
  return kGood;
}

/// PortInfo of a switch port. Of a port that is down only its state is shown, as in OpenSM.
PortInfo as_shown(PortInfo info, PortNum port, PortNum entry_port) {
  if (port != PortNum(0) && info.state == PortState::kDown) {
    PortInfo down;
    down.state = info.state;
    down.phys_state = info.phys_state;
    return down;
  }
  info.local_port = entry_port;
  return info;
}

std::uint16_t port_info_records(State&, const SaQuery& query, SaAnswer& answer) {
  const auto wanted = query.request.as<PortInfoRecord>();
  const auto field = [&](unsigned at, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = at; i < at + width; ++i)
      value = value << 8 | std::to_integer<std::uint64_t>(wanted[4 + i]);
    return value;
  };
  const auto options =  // copied from the request, not compared
      query.asks(kOptionsBit) ? std::to_integer<std::uint8_t>(wanted[3]) : std::uint8_t{0};
  const auto mask = static_cast<std::uint32_t>(field(20, 4));
  const auto mask2 = static_cast<std::uint16_t>(field(60, 2));
  for_ports(query, named_lid(query), [&](NodeId node, const Port& port, Lid lid) {
    PortInfoRecord record{lid, port.num, options,
                          query.view.observed(node).ports[port.num.value()]};
    if (query.view.fabric().is_switch(node))
      record.info = as_shown(record.info, port.num, query.view.entry_port(SwitchId(node.value())));
    if (query.asks(kCapabilityBit) &&
        !matches_capabilities(mask, record.info.capability_mask,
                              (query.request.modifier & kMatchAllOf) != 0))
      return;
    if (query.asks(kCapability2Bit) &&
        !matches_capabilities(mask2, record.info.capability_mask2,
                              (query.request.modifier & kMatchAllOf) != 0))
      return;
    if (!query.request.trusted) record.info.mkey = Mkey(0);
    offer(query, record, answer);
  });
  return kGood;
}

std::uint16_t sl_to_vl_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Snapshot& snapshot = query.view.snapshot();
  const auto table = [&](const SlMap& map) {
    SlToVlTable made;
    if (snapshot.lanes.is_set())
      std::ranges::transform(map, made.vls.begin(), [](std::uint8_t vl) { return Vl(vl); });
    return made;
  };
  const SlToVlRecord wanted = decode_sl_to_vl_record(query.request.as<SlToVlRecord>());
  for_ports_by_guid(query, named_lid(query), [&](NodeId node, const Port& out, Lid lid) {
    if (!snapshot.fabric.is_switch(node)) {
      const auto common = table(snapshot.routes.sl2vl.common());
      offer(query, SlToVlRecord{lid, wanted.in, wanted.out, common},  // the LID selects the port
            SlToVlRecord{lid, PortNum(0), PortNum(0), common}, answer);
      return;
    }
    for (const Port& in : snapshot.fabric.ports(node))
      offer(query,
            SlToVlRecord{lid, in.num, out.num,
                         table(snapshot.routes.sl2vl.map(SwitchId(node.value()), in.num, out.num))},
            answer);
  });
  return kGood;
}

std::uint16_t switch_info_records(State&, const SaQuery& query, SaAnswer& answer) {
  for_switches(query, named_lid(query), [&](SwitchId sw, Lid lid) {
    offer(query, SwitchInfoRecord{lid, query.view.observed(Fabric::node_of(sw)).switch_info},
          answer);
  });
  return kGood;
}

std::uint16_t lft_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Lfts& lfts = query.view.snapshot().routes.lfts;
  for_switches(query, named_lid(query), [&](SwitchId sw, Lid lid) {
    for (std::size_t block = 0; block < lfts.blocks(); ++block) {
      LftRecord record{lid, static_cast<std::uint16_t>(block), {}};
      std::ranges::copy(lfts.block(sw, block), record.table.ports.begin());
      offer(query, record, answer);
    }
  });
  return kGood;
}

std::uint16_t mft_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Mfts& mfts = query.view.snapshot().routes.mfts;
  if (mfts.empty()) return kGood;
  for_switches(query, named_lid(query), [&](SwitchId sw, Lid lid) {
    const auto cap = query.view.observed(Fabric::node_of(sw)).switch_info.multicast_fdb_cap;
    for (const MftIndex index : mft_blocks(mft_top(mfts), query.view.fabric().node(sw), cap))
      offer(
          query,
          MftRecord{lid, mft_position_of(index), mft_block_of(index), mft_wanted(mfts, sw, index)},
          answer);
  });
  return kGood;
}

std::uint16_t sm_info_records(State&, const SaQuery& query, SaAnswer& answer) {
  for (const KnownManager& manager : query.view.snapshot().managers) {
    if (!visible(query, query.view.fabric().endport_of(manager.lid))) continue;
    SmInfoRecord record{manager.lid, manager.info};
    record.info.key = SmKey(0);  // never disclosed, as in OpenSM
    offer(query, record, answer);
  }
  return kGood;
}

std::uint16_t link_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Fabric& fabric = query.view.fabric();
  const auto offer_link = [&](const Port& port) {
    if (port.peer == kNoPort) return;
    const Port& peer = fabric.port(port.peer);
    const EndportId from = query.view.endport_of_port(port.node, port.num);
    const EndportId to = query.view.endport_of_port(peer.node, peer.num);
    if (!visible(query, from) || !visible(query, to)) return;
    offer(query, LinkRecord{fabric.endport(from).lid, port.num, peer.num, fabric.endport(to).lid},
          answer);
  };
  if (query.asks(kToLidBit) && !query.asks(kLidBit)) {  // in order of the peer ports
    const EndportId to = fabric.endport_of(decode_link_record(query.request.as<LinkRecord>()).to);
    if (to == kNoEndport) return kGood;
    for (const Port& port : fabric.ports(fabric.endport(to).node))
      if (port.peer != kNoPort) offer_link(fabric.port(port.peer));
    return kGood;
  }
  for_nodes(query, named_lid(query), [&](NodeId node) {
    for (const Port& port : fabric.ports(node)) offer_link(port);
  });
  return kGood;
}

std::uint16_t pkey_table_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Fabric& fabric = query.view.fabric();
  const PortNum wanted = decode_pkey_table_record(query.request.as<PkeyTableRecord>()).port;
  for_ports_by_guid(query, named_lid(query), [&](NodeId node, const Port& port, Lid lid) {
    const auto pkeys = query.view.pkeys(fabric.port_id(node, port.num));
    const std::size_t blocks = pkey_blocks(pkey_capacity(query.view.observed(node), port.num));
    for (std::size_t block = 0; block < blocks; ++block) {
      PkeyTableRecord record{lid, static_cast<std::uint16_t>(block), port.num, {}};
      const auto rest = pkeys.subspan(std::min(pkeys.size(), block * PkeyTable::kEntries));
      std::ranges::copy(rest.first(std::min(rest.size(), PkeyTable::kEntries)),
                        record.table.pkeys.begin());
      PkeyTableRecord compared = record;
      if (!fabric.is_switch(node)) compared.port = wanted;  // the LID selects the port
      offer(query, compared, record, answer);
    }
  });
  return kGood;
}

std::uint16_t vl_arb_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Snapshot& snapshot = query.view.snapshot();
  const PortNum wanted = decode_vl_arb_record(query.request.as<VlArbRecord>()).port;
  for_ports_by_guid(query, named_lid(query), [&](NodeId node, const Port& port, Lid lid) {
    const PortArbitration* arbitration =
        snapshot.lanes.arbitration(snapshot.fabric.port_id(node, port.num));
    for (std::uint8_t block = 1; block <= 4; ++block) {
      VlArbRecord record{lid, port.num, block, {}};
      if (arbitration != nullptr)
        record.table =
            block_of(*arbitration, static_cast<modifier::VlArbBlock>(block)).value_or(VlArbTable{});
      VlArbRecord compared = record;
      if (!snapshot.fabric.is_switch(node)) compared.port = wanted;  // the LID selects the port
      offer(query, compared, record, answer);
    }
  });
  return kGood;
}

}  // namespace weft::sa
