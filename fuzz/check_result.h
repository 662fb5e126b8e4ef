// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks the result of a reader of fuzzed bytes.
#pragma once

#include <cstdlib>
#include <utility>

#include "base/result.h"

/// Moves the value to `into` and returns true; for an error returns false, and aborts if the error
/// has no message.
template <class Value, class Into>
bool take(weft::Result<Value> value, Into& into) {
  if (!value && value.error().message.empty()) std::abort();
  if (value) into = std::move(*value);
  return value.has_value();
}
