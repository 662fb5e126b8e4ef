// Tokens that the console and the HTTP service ask for: a file that nobody but its owner may read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// The first line. Fails with kEnvironment, kUsage or kBadInput where the file cannot be read, may
/// be read by others than its owner, or holds no token.
Result<std::string> read_token(const std::string& path);

/// Takes as long whatever the first difference is.
bool same_token(std::string_view a, std::string_view b);

}  // namespace weft
