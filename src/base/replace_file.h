// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replaces the content of a file that another program or a user owns.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// As write_file(), but an existing file keeps its mode and, if this process may change owners, its
/// owner; if `path` is a symbolic link, the file to which it points is replaced. A new file gets
/// `mode`.
Status replace_file(const std::string& path, std::string_view content, unsigned mode = 0644);

}  // namespace weft
