// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any text as opensm-sa.dump. The text is read, or rejected with a message that names the
// file.
#include <cstdint>
#include <string>

#include "fuzz_target.h"
#include "sa/dump/dump.h"

WEFT_FUZZ_TARGET(sa_dump, data, size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto saved = weft::sa::read_dump(weft::LineReader::over(text, "dump"));
  if (!saved && saved.error().message.find("dump") == std::string::npos) __builtin_trap();
  return 0;
}
