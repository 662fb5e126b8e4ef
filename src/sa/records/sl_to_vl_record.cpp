// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/sl_to_vl_record.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kSlToVlRecordComponents[]{{0, 0, 16}, {1, 16, 8}, {2, 24, 8}};

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
  return mad_status::kGood;
}

}  // namespace

const Attribute kSlToVlRecordAttribute{
    .id = SaAttribute::kSlToVlRecord,
    .name = "SLtoVLMappingTableRecord",
    .record_size = SlToVlRecord::kSize,
    .components = kSlToVlRecordComponents,
    .get = &sl_to_vl_records,
    .table = &sl_to_vl_records,
    .parts = &parts_by_endport,
};

}  // namespace weft::sa
