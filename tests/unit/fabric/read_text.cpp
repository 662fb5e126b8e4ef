// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/fabric/read_text.h"

#include <utility>

namespace weft {

ReadResult read_good(const std::string& text) {
  auto got = read_fabric_text(text, "f");
  EXPECT_TRUE(got) << got.error().message;
  return got ? std::move(*got) : ReadResult{};
}

std::string error_of(const std::string& text, const std::string& format) {
  return error_of(read_fabric_text(text, "f", {.format = format, .ibnl_dir = ""}));
}

}  // namespace weft
