// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/port_info_record.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

// PortInfo begins at byte 4. CapabilityMask and CapabilityMask2 are compared by the handler.
constexpr std::uint16_t kPortInfoAt = 32;
constexpr Component kPortInfoRecordComponents[]{{0, 0, 16},
                                                {1, 16, 8},
                                                {2, 0, 0},
                                                {3, kPortInfoAt + 0, 64},
                                                {4, kPortInfoAt + 64, 64},
                                                {5, kPortInfoAt + 128, 16},
                                                {6, kPortInfoAt + 144, 16},
                                                {7, 0, 0},
                                                {8, kPortInfoAt + 192, 16},
                                                {9, kPortInfoAt + 208, 16},
                                                {10, kPortInfoAt + 224, 8},
                                                {11, kPortInfoAt + 232, 8},
                                                {12, kPortInfoAt + 240, 8},
                                                {13, kPortInfoAt + 248, 8},
                                                {14, kPortInfoAt + 256, 4},
                                                {15, kPortInfoAt + 260, 4},
                                                {16, kPortInfoAt + 264, 4},
                                                {17, kPortInfoAt + 268, 4},
                                                {18, kPortInfoAt + 272, 2},
                                                {19, 0, 0},
                                                {20, kPortInfoAt + 277, 3},
                                                {21, kPortInfoAt + 280, 4},
                                                {22, kPortInfoAt + 284, 4},
                                                {23, kPortInfoAt + 288, 4},
                                                {24, kPortInfoAt + 292, 4},
                                                {25, kPortInfoAt + 296, 4},
                                                {26, kPortInfoAt + 300, 4},
                                                {27, kPortInfoAt + 304, 8},
                                                {28, kPortInfoAt + 312, 8},
                                                {29, kPortInfoAt + 320, 8},
                                                {30, kPortInfoAt + 328, 4},
                                                {31, kPortInfoAt + 332, 4},
                                                {32, kPortInfoAt + 336, 3},
                                                {33, kPortInfoAt + 339, 5},
                                                {34, kPortInfoAt + 344, 4},
                                                {35, kPortInfoAt + 348, 1},
                                                {36, kPortInfoAt + 349, 1},
                                                {37, kPortInfoAt + 350, 1},
                                                {38, kPortInfoAt + 351, 1},
                                                {39, kPortInfoAt + 352, 16},
                                                {40, kPortInfoAt + 368, 16},
                                                {41, kPortInfoAt + 384, 16},
                                                {42, kPortInfoAt + 400, 8},
                                                {43, kPortInfoAt + 408, 1},
                                                {44, 0, 0},
                                                {45, kPortInfoAt + 411, 5},
                                                {46, 0, 0},
                                                {47, kPortInfoAt + 419, 5},
                                                {48, kPortInfoAt + 424, 4},
                                                {49, kPortInfoAt + 428, 4},
                                                {50, kPortInfoAt + 432, 16},
                                                {51, 0, 0},
                                                {52, kPortInfoAt + 456, 24},
                                                {53, 0, 0},
                                                {54, kPortInfoAt + 496, 4},
                                                {55, kPortInfoAt + 500, 4},
                                                {56, 0, 0},
                                                {57, kPortInfoAt + 507, 5}};

constexpr unsigned kOptionsBit = 2, kCapabilityBit = 7, kCapability2Bit = 53;
constexpr std::uint32_t kMatchAllOf = 0x80000000;  // modifier: all bits of the request must be set

template <class Mask>
bool matches_capabilities(Mask wanted, Mask is, bool all_of) {
  return all_of ? (wanted & is) == wanted : wanted == is;
}

/// PortInfo as in records. For a switch port that is down, only the logical and the physical state
/// are included, as in OpenSM.
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

/// PortInfo of a virtual port with a LID of its own: the link is that of its CA port.
PortInfo port_info_of_vport(PortInfo info, const Vport& vport, Lid lid) {
  info.lid = lid;
  info.lmc = 0;
  info.mkey = Mkey(0);
  info.state = vport.info.state;
  info.local_port = vport.node.local_port;
  info.guid_cap = static_cast<std::uint8_t>(
      std::min<std::size_t>(vport.info.guid_cap_blocks * GuidInfo::kEntries, 0xFF));
  info.pkey_violations = vport.info.pkey_violations;
  info.qkey_violations = vport.info.qkey_violations;
  info.capability_mask &= ~(cap_mask::kIsSm | cap_mask::kCapabilityMask2);
  info.capability_mask2 = 0;
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
      query.has_component(kOptionsBit) ? std::to_integer<std::uint8_t>(wanted[3]) : std::uint8_t{0};
  const auto mask = static_cast<std::uint32_t>(field(20, 4));
  const auto mask2 = static_cast<std::uint16_t>(field(60, 2));
  const auto add = [&](PortInfoRecord record) {
    if (query.has_component(kCapabilityBit) &&
        !matches_capabilities(mask, record.info.capability_mask,
                              (query.request.modifier & kMatchAllOf) != 0))
      return;
    if (query.has_component(kCapability2Bit) &&
        !matches_capabilities(mask2, record.info.capability_mask2,
                              (query.request.modifier & kMatchAllOf) != 0))
      return;
    if (!query.request.trusted) record.info.mkey = Mkey(0);
    offer(query, record, answer);
  };
  const auto add_port = [&](NodeId node, const Port& port, Lid lid) {
    PortInfoRecord record{lid, port.num, options,
                          query.view.observed(node).ports[port.num.value()]};
    if (query.view.fabric().is_switch(node))
      record.info = as_shown(record.info, port.num, query.view.entry_port(SwitchId(node.value())));
    add(record);
  };
  for_nodes(query, named_lid(query), [&](NodeId node) {
    for_ports_of(query, named_lid(query), node, add_port);
    for_vports_with_lids(query, node, [&](const Vport& vport, const Port& port, Lid lid) {
      const PortInfo& of_port = query.view.observed(node).ports[port.num.value()];
      add({lid, vport.node.local_port, options, port_info_of_vport(of_port, vport, lid)});
    });
  });
  return mad_status::kGood;
}

}  // namespace

const Attribute kPortInfoRecordAttribute{
    .id = SaAttribute::kPortInfoRecord,
    .name = "PortInfoRecord",
    .record_size = PortInfoRecord::kSize,
    .components = kPortInfoRecordComponents,
    .get = &port_info_records,
    .table = &port_info_records,
    .parts = &parts_by_node,
};

}  // namespace weft::sa
