// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SMInfo: the state that subnet managers exchange, and the commands in the attribute modifier of a
// Set. Layout: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.13.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

using SmKey = Strong<struct SmKeyTag, std::uint64_t>;

enum class SmState : std::uint8_t { kNotActive = 0, kDiscovering = 1, kStandby = 2, kMaster = 3 };

/// Attribute modifier of SubnSet(SMInfo).
enum class SmCommand : std::uint32_t {
  kHandover = 1,
  kAcknowledge = 2,
  kDisable = 3,
  kStandby = 4,
  kDiscover = 5
};

struct SmInfo {
  Guid guid;  // port GUID of the SM
  SmKey key;
  std::uint32_t activity_count = 0;
  std::uint8_t priority = 0;  // 0..15; the manager with the highest priority is elected
  SmState state = SmState::kNotActive;
  bool operator==(const SmInfo&) const = default;
};

SmpData encode(const SmInfo& info);
/// Fails with kBadField on an undefined state.
Result<SmInfo> decode_sm_info(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
