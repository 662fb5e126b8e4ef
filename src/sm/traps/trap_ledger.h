// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts repeated traps, so that one port cannot cause sweeps without end. The caller supplies the
// time.
#pragma once

#include <map>
#include <tuple>

#include "base/clock.h"
#include "ib/notice.h"

namespace weft {

class TrapLedger {
 public:
  /// Maximum number of equal traps in a row that are handled, as in OpenSM. With kBabblingFrom
  /// error traps in a row a port counts as babbling.
  static constexpr unsigned kHandledMax = 10;
  static constexpr unsigned kBabblingFrom = 250;
  /// Equal traps are in a row if the time between successive traps is not longer than this.
  static constexpr TimeNs kForgottenAfter = std::chrono::seconds(10);
  static constexpr std::size_t kRowsMax = 4096;

  /// The number of equal traps in a row, this trap included. Traps are equal if their sender,
  /// number and effect are equal, and for error traps also the port. Other details are not
  /// compared, because a sender can vary them at will.
  unsigned count(const Notice& notice, Lid from, TimeNs now);

 private:
  struct Row {
    unsigned length = 0;
    TimeNs last{0};
  };
  struct Key {
    Lid from;
    std::uint16_t trap = 0;  // 0: vendor-specific, or unknown
    std::uint8_t effect = 0;
    TrapPortError port{};  // port of an error trap
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
