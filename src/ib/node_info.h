// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NodeInfo and NodeDescription: the properties of a node and of the port that received the request.
// Layout: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "ib/enums.h"
#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

struct NodeInfo {
  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  NodeType type = NodeType::kCa;
  std::uint8_t port_count = 0;  // physical ports
  Guid system_guid;
  Guid node_guid;
  Guid port_guid;                   // port that received the request; on a switch port 0
  std::uint16_t partition_cap = 0;  // number of entries of a P_Key table
  std::uint16_t device_id = 0;
  std::uint32_t revision = 0;
  PortNum local_port;           // port that received the request
  std::uint32_t vendor_id = 0;  // 24 bits
  bool operator==(const NodeInfo&) const = default;
};

SmpData encode(const NodeInfo& info);
/// Fails with kBadField on an undefined node type.
Result<NodeInfo> decode_node_info(std::span<const std::byte, kSmpDataSize> data);

/// The text consists of raw bytes: escape it before printing.
struct NodeDescription {
  std::string text;
  bool operator==(const NodeDescription&) const = default;
};

/// Truncates the text to 64 bytes.
SmpData encode(const NodeDescription& description);
/// Decodes the bytes up to the first 0, or all 64. Never fails.
Result<NodeDescription> decode_node_description(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
