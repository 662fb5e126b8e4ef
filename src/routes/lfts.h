// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Linear forwarding tables: the output port for every switch and unicast LID.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/large_vector.h"
#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

inline constexpr PortNum kNoRoute{255};
inline constexpr std::size_t kLftBlock = 64;  // entries of one LinearForwardingTable SMP

/// One row per switch: a whole number of contiguous 64-entry blocks, each as in an SMP.
class Lfts {
 public:
  Lfts() = default;
  /// Rows are from LID 0 to `top`; every entry is kNoRoute.
  Lfts(std::uint32_t switch_count, Lid top);
  /// Tables of this size with uninitialized entries, for callers that write every entry of every
  /// row.
  static Lfts unwritten(std::uint32_t switch_count, Lid top);

  std::uint32_t switch_count() const { return switch_count_; }
  Lid top() const { return top_; }
  std::size_t blocks() const { return row_size_ / kLftBlock; }

  PortNum port(SwitchId sw, Lid lid) const {
    return lid.value() < row_size_ ? PortNum(bytes_[sw.value() * row_size_ + lid.value()])
                                   : kNoRoute;
  }
  void set(SwitchId sw, Lid lid, PortNum port) {
    bytes_[sw.value() * row_size_ + lid.value()] = port.value();
  }

  /// The row of a switch, blocks() * 64 entries. Several threads may write different rows.
  std::span<std::uint8_t> row(SwitchId sw) {
    return std::span(bytes_).subspan(sw.value() * row_size_, row_size_);
  }
  std::span<const std::uint8_t> row(SwitchId sw) const {
    return std::span(bytes_).subspan(sw.value() * row_size_, row_size_);
  }
  std::span<const std::uint8_t> block(SwitchId sw, std::size_t index) const {
    return row(sw).subspan(index * kLftBlock, kLftBlock);
  }

  bool operator==(const Lfts&) const = default;

 private:
  std::uint32_t switch_count_ = 0;
  Lid top_{};
  std::size_t row_size_ = 0;
  LargeVector<std::uint8_t> bytes_;
};

}  // namespace weft
