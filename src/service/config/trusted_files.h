// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files named in the configuration that determine what the manager does: other users must not be
// able to write them.
#pragma once

#include "base/result.h"
#include "service/config/settings.h"

namespace weft {

/// Checks every existing file of the keys with Key::is_trusted, and event plugins that are given as
/// paths. Fails with kUsage naming key and obstacle, as check_only_owner_writes().
Status check_trusted_files(const Settings& settings);

}  // namespace weft
