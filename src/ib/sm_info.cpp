// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/sm_info.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void sm_info_layout(Op field, Info& info) {
  field(0, 64, info.guid);
  field(64, 64, info.key);
  field(128, 32, info.activity_count);
  field(160, 4, info.priority);
  field(164, 4, info.state);
}

}  // namespace

SmpData encode(const SmInfo& info) {
  SmpData data{};
  sm_info_layout(wire::FieldWriter(data.data()), info);
  return data;
}

Result<SmInfo> decode_sm_info(std::span<const std::byte, kSmpDataSize> data) {
  SmInfo info;
  sm_info_layout(wire::FieldReader(data.data()), info);
  if (info.state > SmState::kMaster)
    return wire::bad_field("SMInfo SMState", 164, info.state, "at most 3");
  return info;
}

}  // namespace weft
