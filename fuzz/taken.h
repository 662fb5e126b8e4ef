// What a reader makes of fuzzed bytes.
#pragma once

#include <cstdlib>
#include <utility>

#include "base/result.h"

/// Moves what was read, or aborts where an error has nothing to say.
template <class Value, class Into>
bool take(weft::Result<Value> value, Into& into) {
  if (!value && value.error().message.empty()) std::abort();
  if (value) into = std::move(*value);
  return value.has_value();
}
