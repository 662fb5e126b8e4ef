// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parses any text as the spec of a generator. The result is a fabric, or an error message with the
// column.
#include <cstdint>
#include <cstdlib>

#include "fabric/generators/spec.h"
#include "fuzz_target.h"

WEFT_FUZZ_TARGET(generator_spec, data, size) {
  const auto fabric = weft::generate(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!fabric && fabric.error().message.find("column") == std::string::npos) std::abort();
  return 0;
}
