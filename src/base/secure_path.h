// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that a program obeys: a configuration, keys, code. They are refused if users other than
// root and the user of this process could have written them.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Follows `path` as open() does. Every folder and symbolic link on the way and the file itself
/// must belong to root or to the user of this process, and must not be writable by group or others;
/// a folder like /tmp may be, if it has the sticky bit. A missing file is not refused: opening it
/// fails. Fails with kUsage naming the obstacle and its owner or mode. Access control lists are not
/// read.
Status check_only_owner_writes(const std::string& path);

/// Creates the folder with mode 0700 if it is missing; fails like check_only_owner_writes(), and
/// with kEnvironment if it cannot be created or is no folder.
Status make_private_folder(const std::string& path);

/// Creates a new file with mode 0600 in a private folder, and writes it to disk. Fails with
/// kEnvironment if anything of that name is there already, a symbolic link included.
Status write_new_file(const std::string& folder, const std::string& name, std::string_view content);

}  // namespace weft
