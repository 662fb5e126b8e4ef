// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks of files that control a program: configuration, keys, code. Such a file is refused if
// users other than root and the user of this process could have written it. Also creates private
// folders, and files in them.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Follows `path` as open() does. Each folder and symbolic link on the path and the file itself
/// must belong to root or to the user of this process, and must not be writable by group or others,
/// except for a folder on the path with the sticky bit, such as /tmp, and a character device of
/// root, such as /dev/null. A missing file is not refused: opening it fails. Fails with kUsage,
/// naming the path refused and its owner or mode; with kEnvironment if the current folder is not
/// known. Access control lists are not read.
Status check_only_owner_writes(const std::string& path);

/// Creates the folder with mode 0700 if it is missing; fails as check_only_owner_writes() does, and
/// with kEnvironment if the folder cannot be created or the path is not a folder.
Status make_private_folder(const std::string& path);

/// Creates a new file with mode 0600 in a private folder, and syncs it to disk. Fails with kUsage
/// if `name` is empty or contains a folder, with kEnvironment if the file cannot be written or the
/// name exists already, even as a symbolic link, and as make_private_folder() does.
Status write_new_file(const std::string& folder, const std::string& name, std::string_view content);

}  // namespace weft
