// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/node_info.h"

#include <algorithm>
#include <cstring>

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void node_info_layout(Op field, Info& info) {
  field(0, 8, info.base_version);
  field(8, 8, info.class_version);
  field(16, 8, info.type);
  field(24, 8, info.port_count);
  field(32, 64, info.system_guid);
  field(96, 64, info.node_guid);
  field(160, 64, info.port_guid);
  field(224, 16, info.partition_cap);
  field(240, 16, info.device_id);
  field(256, 32, info.revision);
  field(288, 8, info.local_port);
  field(296, 24, info.vendor_id);
}

}  // namespace

SmpData encode(const NodeInfo& info) {
  SmpData data{};
  node_info_layout(wire::FieldWriter(data.data()), info);
  return data;
}

Result<NodeInfo> decode_node_info(std::span<const std::byte, kSmpDataSize> data) {
  NodeInfo info;
  node_info_layout(wire::FieldReader(data.data()), info);
  if (info.type < NodeType::kCa || info.type > NodeType::kRouter)
    return wire::bad_field("NodeInfo NodeType", 16, info.type, "1 to 3");
  return info;
}

SmpData encode(const NodeDescription& description) {
  SmpData data{};
  std::memcpy(data.data(), description.text.data(),
              std::min(description.text.size(), kSmpDataSize));
  return data;
}

Result<NodeDescription> decode_node_description(std::span<const std::byte, kSmpDataSize> data) {
  const auto end = std::find(data.begin(), data.end(), std::byte{0});
  NodeDescription description;
  description.text.assign(reinterpret_cast<const char*>(data.data()),
                          static_cast<std::size_t>(end - data.begin()));
  return description;
}

}  // namespace weft
