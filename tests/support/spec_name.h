// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names for tests that are parametrized by generator specs.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace weft {

/// The spec, with '_' for characters that are not allowed in a test name.
std::string spec_name(const testing::TestParamInfo<const char*>& info);

}  // namespace weft
