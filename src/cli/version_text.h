// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The output of `--version`.
#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

/// "PROGRAM 0.1.0", then on further lines the commit (if known), and the compiler, build type and
/// sanitizers.
std::string version_text(std::string_view program);

}  // namespace weft::cli
