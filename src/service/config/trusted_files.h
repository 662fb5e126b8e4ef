// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files named in the configuration that determine the behavior of the manager: other users must not
// be able to write them.
#pragma once

#include "base/result.h"
#include "service/config/settings.h"

namespace weft {

/// Checks every file or folder, with the files in it, that a key with Key::is_trusted names, and
/// every event plugin given as a path. Of a missing file the folders on its path are checked. Fails
/// as check_only_owner_writes(); the message begins with the key.
Status check_trusted_files(const Settings& settings);

}  // namespace weft
