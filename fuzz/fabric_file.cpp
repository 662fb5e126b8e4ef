// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a fabric file. The file is rejected with a message, or the fabric can be
// written in all formats.
#include <cstdint>
#include <cstdlib>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "fuzz_target.h"

WEFT_FUZZ_TARGET(fabric_file, data, size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = weft::read_fabric_text(text, "fuzz");
  if (!read) {
    if (read.error().message.empty()) std::abort();
    return 0;
  }
  for (const weft::WriteFormat& format : weft::write_formats())
    format.write(read->fabric, [](std::string_view) {});
  return 0;
}
