// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any text as opensm-sa.dump: rejected with the line, or read and imported.
#include <cstdint>
#include <string>

#include "sa/dump/dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto saved = weft::sa::read_dump(weft::LineReader::over(text, "dump"));
  if (!saved && saved.error().message.find("dump") == std::string::npos) __builtin_trap();
  return 0;
}
