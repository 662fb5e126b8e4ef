// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tokens that authenticate clients of the console and the HTTP service, read from a file that only
// its owner may read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// Returns the first line of the file. Fails with kEnvironment if the file cannot be read, with
/// kUsage if users other than its owner may read it, and with kBadInput if it contains no token.
Result<std::string> read_token(const std::string& path);

/// Compares in constant time, against timing attacks.
bool same_token(std::string_view a, std::string_view b);

}  // namespace weft
