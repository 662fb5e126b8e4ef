// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names for tests that are parametrized by generator specs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace weft {

/// The spec, with '_' for characters that are not allowed in a test name.
inline std::string spec_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace weft
