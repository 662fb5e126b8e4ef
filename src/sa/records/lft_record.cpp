// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/lft_record.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

constexpr Component kLftRecordComponents[]{{0, 0, 16}, {1, 16, 16}};

std::uint16_t lft_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Lfts& lfts = query.view.snapshot().routes.lfts;
  for_switches(query, named_lid(query), [&](SwitchId sw, Lid lid) {
    for (std::size_t block = 0; block < lfts.blocks(); ++block) {
      LftRecord record{lid, static_cast<std::uint16_t>(block), {}};
      std::ranges::copy(lfts.block(sw, block), record.table.ports.begin());
      offer(query, record, answer);
    }
  });
  return mad_status::kGood;
}

}  // namespace

const Attribute kLftRecordAttribute{
    .id = SaAttribute::kLftRecord,
    .name = "LinearForwardingTableRecord",
    .record_size = LftRecord::kSize,
    .components = kLftRecordComponents,
    .get = &lft_records,
    .table = &lft_records,
    .parts = &parts_by_node,
};

}  // namespace weft::sa
