// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Conversion between rows of the history's tables and the values of SQLite.
#pragma once

#include "gmp/sqlite.h"
#include "service/history/history.h"

namespace weft {

inline constexpr int kHistoryBusyMs = 5000;  // longest wait for another process that uses the file

/// The unsigned number with the bits of a signed number, because integers of SQLite are signed.
inline std::uint64_t unsigned_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// Reads the next columns of the current row: ended, begun, number, reason, up, error, changes.
SweepRecord sweep_of_columns(Statement& row);
/// Binds the next parameters, in the order of the table's columns.
void put_columns(Statement& insert, const SweepRecord& sweep);
void put_columns(Statement& insert, const CounterRecord& record);

}  // namespace weft
