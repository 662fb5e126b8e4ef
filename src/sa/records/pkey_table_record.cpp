// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/pkey_table_record.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kPkeyTableRecordComponents[]{{0, 0, 16}, {1, 16, 16}, {2, 32, 8}};

/// Number of entries of the P_Key table of a port.
std::size_t pkey_capacity(const ObservedNode& node, PortNum port) {
  return node.info.type == NodeType::kSwitch && port != PortNum(0)
             ? node.switch_info.partition_enforcement_cap
             : node.info.partition_cap;
}

std::uint16_t pkey_table_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Fabric& fabric = query.view.fabric();
  const PortNum wanted = decode_pkey_table_record(query.request.as<PkeyTableRecord>()).port;
  for_ports_by_guid(query, named_lid(query), [&](NodeId node, const Port& port, Lid lid) {
    const ObservedNode& seen = query.view.observed(node);
    if (seen.ports[port.num.value()].state == PortState::kDown) return;  // as OpenSM
    const auto pkeys = query.view.pkeys(fabric.port_id(node, port.num));
    const std::size_t blocks = pkey_blocks(pkey_capacity(seen, port.num));
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
  return mad_status::kGood;
}

}  // namespace

const Attribute kPkeyTableRecordAttribute{
    .id = SaAttribute::kPkeyTableRecord,
    .name = "P_KeyTableRecord",
    .record_size = PkeyTableRecord::kSize,
    .components = kPkeyTableRecordComponents,
    .get = &pkey_table_records,
    .table = &pkey_table_records,
    .parts = &parts_by_endport,
    .trusted_only = true,
};

}  // namespace weft::sa
