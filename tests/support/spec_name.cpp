// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/spec_name.h"

#include <algorithm>
#include <cctype>

namespace weft {

std::string spec_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace weft
