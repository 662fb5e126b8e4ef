// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any text as a generator's spec: a fabric, or a message with the column.
#include <cstdint>
#include <cstdlib>

#include "fabric/generators/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto fabric = weft::generate(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!fabric && fabric.error().message.find("column") == std::string::npos) std::abort();
  return 0;
}
