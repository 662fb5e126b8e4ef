// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/vl_arb_record.h"

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kVlArbRecordComponents[]{{0, 0, 16}, {1, 16, 8}, {2, 24, 8}};

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
  return mad_status::kGood;
}

}  // namespace

const Attribute kVlArbRecordAttribute{
    .id = SaAttribute::kVlArbRecord,
    .name = "VLArbitrationTableRecord",
    .record_size = VlArbRecord::kSize,
    .components = kVlArbRecordComponents,
    .get = &vl_arb_records,
    .table = &vl_arb_records,
    .parts = &parts_by_endport,
};

}  // namespace weft::sa
