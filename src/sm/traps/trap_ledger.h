// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts repeated traps, so that one port cannot cause sweeps without end. The caller provides the
// time.
#pragma once

#include <map>
#include <tuple>

#include "base/clock.h"
#include "ib/notice.h"

namespace weft {

class TrapLedger {
 public:
  /// Equal traps in a row that are acted on, as in OpenSM, and error traps from which a port counts
  /// as babbling.
  static constexpr unsigned kHandledMax = 10;
  static constexpr unsigned kBabblingFrom = 250;
  /// A row ends after this time without a trap.
  static constexpr TimeNs kForgottenAfter = std::chrono::seconds(10);
  static constexpr std::size_t kRowsMax = 4096;

  /// The length of the row, this trap included. Traps are equal if sender, number and effect are,
  /// for error traps also the port: details that a sender can vary at will do not begin a row.
  unsigned count(const Notice& notice, Lid from, TimeNs now);

 private:
  struct Row {
    unsigned length = 0;
    TimeNs last{0};
  };
  struct Key {
    Lid from;
    std::uint16_t trap = 0;  // 0: a vendor's, or unknown
    std::uint8_t effect = 0;
    TrapPortError port{};  // of error traps
    auto operator<=>(const Key& other) const {
      return std::tuple(from, trap, effect, port.lid, port.port) <=>
             std::tuple(other.from, other.trap, other.effect, other.port.lid, other.port.port);
    }
  };
  static Key key_of(const Notice& notice, Lid from);

  std::map<Key, Row> rows_;
};

/// Traps 129 to 131: an error counter of a port exceeded its threshold.
bool is_about_errors(const Notice& notice);

}  // namespace weft
