// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rows of the history's tables.
#pragma once

#include "gmp/sqlite.h"
#include "service/history/history.h"

namespace weft {

/// From the next columns of the current row: ended, begun, number, reason, up, error, changes.
SweepRecord sweep_of_columns(Statement& row);

}  // namespace weft
