// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The configuration file, in the format of opensm.conf (`opensm -c`): one key and its value per
// line; '#' starts a comment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/config/settings.h"

namespace weft {

/// Errors and warnings of a file, each prefixed with "FILE:LINE:COLUMN: ", and for known keys with
/// "KEY: ".
struct ConfigDiagnostics {
  std::vector<std::string> errors;    // the manager does not start if there are any
  std::vector<std::string> warnings;  // such as unknown and unsupported keys
};

/// Applies the file to `settings`. If a key is repeated, its last line takes effect. Reads all
/// lines even after an error. Fails with kEnvironment if the file cannot be read. Fails with
/// kBadInput if lines are invalid; the message contains all errors. A failure leaves `settings`
/// unchanged.
Status read_config(const std::string& path, Settings& settings, ConfigDiagnostics& problems);

/// The settings in file format, with a comment for each key. Sections that are only read
/// (Section::is_written) are left out.
std::string config_text(const Settings& settings);

}  // namespace weft
