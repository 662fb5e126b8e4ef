// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/mft_record.h"

#include "sa/attribute.h"
#include "sa/records/topology.h"
#include "sm/programming/mft_blocks.h"

namespace weft::sa {
namespace {

constexpr Component kMftRecordComponents[]{
    {0, 0, 16}, {1, 16, 4}, {2, 20, 3}, {3, 23, 9}, {4, 32, 32}};

std::uint16_t mft_records(State&, const SaQuery& query, SaAnswer& answer) {
  const Mfts& mfts = query.view.snapshot().routes.mfts;
  if (mfts.empty()) return mad_status::kGood;
  for_switches(query, named_lid(query), [&](SwitchId sw, Lid lid) {
    const auto cap = query.view.observed(Fabric::node_of(sw)).switch_info.multicast_fdb_cap;
    for (const MftIndex index : mft_blocks(mft_top(mfts), query.view.fabric().node(sw), cap))
      offer(query,
            MftRecord{lid, mft_position_of(index), mft_block_of(index),
                      desired_mft_block(mfts, sw, index)},
            answer);
  });
  return mad_status::kGood;
}

}  // namespace

const Attribute kMftRecordAttribute{
    .id = SaAttribute::kMftRecord,
    .name = "MulticastForwardingTableRecord",
    .record_size = MftRecord::kSize,
    .components = kMftRecordComponents,
    .get = &mft_records,
    .table = &mft_records,
    .parts = &parts_by_node,
};

}  // namespace weft::sa
