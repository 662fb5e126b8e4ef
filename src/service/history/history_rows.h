// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rows of the history's tables, and how SQLite takes their values.
#pragma once

#include "gmp/sqlite.h"
#include "service/history/history.h"

namespace weft {

inline constexpr int kHistoryBusyMs = 5000;  // to wait for another user of the file

/// SQLite's integers are signed: the same bits.
inline std::uint64_t signed_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// From the next columns of the current row: ended, begun, number, reason, up, error, changes.
SweepRecord sweep_of_columns(Statement& row);
/// As the next parameters, in the order of the table's columns.
void put_columns(Statement& insert, const SweepRecord& sweep);
void put_columns(Statement& insert, const CounterRecord& record);

}  // namespace weft
