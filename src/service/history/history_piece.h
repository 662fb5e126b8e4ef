// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parts of the history for the copy at a standby: rows after a position, as JSON. Adding a piece
// skips rows that exist already, so a piece may be added twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "service/history/history.h"

namespace weft {

/// The position up to which another history was copied.
struct HistoryPosition {
  std::uint64_t source = 0;      // identity of the other history; 0: none yet
  std::uint64_t event = 0;       // id of the last event
  std::uint64_t sweep = 0;       // row of the last sweep
  std::int64_t counter_end = 0;  // end of the last interval of counters, seconds since 1970
  std::uint64_t counter = 0;     // row of that interval
  bool operator==(const HistoryPosition&) const = default;
};

struct HistoryPiece {
  static constexpr std::size_t kRowsMax = 2000;  // most rows of each table

  struct EventRow {
    std::int64_t time = 0;  // ns
    std::string kind;
    Guid node, peer;
    std::string line;
    bool operator==(const EventRow&) const = default;
  };
  HistoryPosition last;
  bool is_complete = false;  // no rows follow
  std::vector<EventRow> events;
  std::vector<SweepRecord> sweeps;
  std::vector<CounterRecord> counters;
  bool operator==(const HistoryPiece&) const = default;
};

std::string encode(const HistoryPiece& piece);
/// Parses the JSON of a piece. Fails with kBadInput; the message contains the member and the
/// expected value.
Result<HistoryPiece> decode_history_piece(std::string_view text);

/// The rows of the history at `path` after a position, or from the first row if the position is of
/// another history. Returns at most `rows` rows of each table. This function and the two below fail
/// with kTimeout if the file does not exist, and with kEnvironment if the file cannot be used. If
/// the file has no tables yet, this function and copied_position() fail with kTimeout, and
/// add_piece() with kEnvironment.
Result<HistoryPiece> history_after(const std::string& path, const HistoryPosition& position,
                                   std::size_t rows = HistoryPiece::kRowsMax);
/// The position of the last piece that was added to the history at `path`.
Result<HistoryPosition> copied_position(const std::string& path);
/// Adds the rows and stores the position, in one transaction.
Status add_piece(const std::string& path, const HistoryPiece& piece);

}  // namespace weft
