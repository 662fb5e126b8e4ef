// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/switch_info_record.h"

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kSwitchInfoRecordComponents[]{{0, 0, 16}, {1, 0, 0}};

std::uint16_t switch_info_records(State&, const SaQuery& query, SaAnswer& answer) {
  for_switches(query, named_lid(query), [&](SwitchId sw, Lid lid) {
    offer(query, SwitchInfoRecord{lid, query.view.observed(Fabric::node_of(sw)).switch_info},
          answer);
  });
  return mad_status::kGood;
}

}  // namespace

const Attribute kSwitchInfoRecordAttribute{
    .id = SaAttribute::kSwitchInfoRecord,
    .name = "SwitchInfoRecord",
    .record_size = SwitchInfoRecord::kSize,
    .components = kSwitchInfoRecordComponents,
    .get = &switch_info_records,
    .table = &switch_info_records,
    .parts = &parts_by_node,
};

}  // namespace weft::sa
