// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts repeated identical traps, so that one port cannot cause sweeps without end. The caller
// provides the time.
#pragma once

#include <map>

#include "base/clock.h"
#include "ib/notice.h"

namespace weft {

class TrapLedger {
 public:
  /// Identical traps in a row that are acted on, as in OpenSM, and error traps from which a port
  /// counts as babbling.
  static constexpr unsigned kHandledMax = 10;
  static constexpr unsigned kBabblingFrom = 250;
  /// A row ends after this time without a trap.
  static constexpr TimeNs kForgottenAfter = std::chrono::seconds(10);
  static constexpr std::size_t kRowsMax = 4096;

  /// The length of the row, this trap included.
  unsigned count(const Notice& notice, Lid from, TimeNs now);

 private:
  struct Row {
    unsigned length = 0;
    TimeNs last{0};
  };
  using Key = std::tuple<Lid, std::uint16_t, NoticeDetails>;
  std::map<Key, Row> rows_;
};

/// Traps 129 to 131: an error counter of a port exceeded its threshold.
bool is_about_errors(const Notice& notice);

}  // namespace weft
