// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any text as a generator's spec: a fabric, or a message with the column.
#include <cstdint>
#include <cstdlib>

#include "fabric/generators/spec.h"
#include "fuzz_target.h"

WEFT_FUZZ_TARGET(generator_spec, data, size) {
  const auto fabric = weft::generate(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!fabric && fabric.error().message.find("column") == std::string::npos) std::abort();
  return 0;
}
