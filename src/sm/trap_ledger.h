// Counts traps that say the same again and again, so that one port cannot keep the manager sweeping
// for ever. Time is the caller's.
#pragma once

#include <map>

#include "base/clock.h"
#include "ib/notice.h"

namespace weft {

class TrapLedger {
 public:
  /// So many identical traps in a row are heeded, as OpenSM does, and so many traps about errors
  /// make a port a babbler.
  static constexpr unsigned kHeededMax = 10;
  static constexpr unsigned kBabblesFrom = 250;
  /// A row ends where nothing came for so long.
  static constexpr TimeNs kForgottenAfter = std::chrono::seconds(10);
  static constexpr std::size_t kRowsMax = 4096;

  /// How many the row has, this one included.
  unsigned count(const Notice& notice, Lid from, TimeNs now);

 private:
  struct Row {
    unsigned length = 0;
    TimeNs last{0};
  };
  using Key = std::tuple<Lid, std::uint16_t, NoticeDetails>;
  std::map<Key, Row> rows_;
};

/// Traps 129 to 131: a port counts too many errors.
bool is_about_errors(const Notice& notice);

}  // namespace weft
