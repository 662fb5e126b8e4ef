// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/switch_info.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void switch_info_layout(Op field, Info& s) {
  field(0, 16, s.linear_fdb_cap);
  field(16, 16, s.random_fdb_cap);
  field(32, 16, s.multicast_fdb_cap);
  field(48, 16, s.linear_fdb_top);
  field(64, 8, s.default_port);
  field(72, 8, s.default_multicast_primary_port);
  field(80, 8, s.default_multicast_not_primary_port);
  field(88, 5, s.life_time_value);
  field(93, 1, s.port_state_change);
  field(94, 2, s.optimized_sl2vl);
  field(96, 16, s.lids_per_port);
  field(112, 16, s.partition_enforcement_cap);
  field(128, 1, s.inbound_enforcement_cap);
  field(129, 1, s.outbound_enforcement_cap);
  field(130, 1, s.filter_raw_inbound_cap);
  field(131, 1, s.filter_raw_outbound_cap);
  field(132, 1, s.enhanced_port0);
  field(144, 16, s.multicast_fdb_top);
}

}  // namespace

SmpData encode(const SwitchInfo& info) {
  SmpData data{};
  switch_info_layout(wire::FieldWriter(data.data()), info);
  return data;
}

Result<SwitchInfo> decode_switch_info(std::span<const std::byte, kSmpDataSize> data) {
  SwitchInfo info;
  switch_info_layout(wire::FieldReader(data.data()), info);
  return info;
}

}  // namespace weft
