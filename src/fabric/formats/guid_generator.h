// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Generates GUIDs for nodes of files without GUIDs, in file order and in ibsim's ranges: CAs from
// 0x100000, switches from 0x200000, routers from 0x300000.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "ib/enums.h"
#include "ib/ids.h"

namespace weft {

class GuidGenerator {
 public:
  /// Marks a GUID as used. Returns false if it was in use already.
  bool take(Guid guid) { return taken_.insert(guid.value()).second; }

  /// The next unused GUID. For a CA or router the GUIDs after it are reserved for its ports.
  Guid next(NodeType type, std::uint8_t port_count) {
    std::uint64_t& number = type == NodeType::kSwitch ? next_switch_
                            : type == NodeType::kCa   ? next_ca_
                                                      : next_router_;
    const std::uint64_t step = type == NodeType::kSwitch ? 1 : port_count + 1u;
    while (!taken_.insert(number).second) number += step;
    const Guid guid(number);
    number += step;
    return guid;
  }

 private:
  std::unordered_set<std::uint64_t> taken_;
  std::uint64_t next_ca_ = 0x100000;
  std::uint64_t next_switch_ = 0x200000;
  std::uint64_t next_router_ = 0x300000;
};

}  // namespace weft
