// The configuration file: opensm.conf, as `opensm -c` writes it and as we do. A key and its value
// on a line; '#' begins a comment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/settings.h"

namespace weft {

/// Everything that is wrong with a file, each with "FILE:LINE:COLUMN: KEY: " in front.
struct ConfigComplaints {
  std::vector<std::string> errors;    // nothing may start with these
  std::vector<std::string> warnings;  // unknown keys, and keys that Weft has no use for
};

/// Sets what the file says; of a key that stands twice the last line counts. All lines are read,
/// whatever is wrong with some. Fails with kEnvironment where the file cannot be read, and with
/// kBadInput, all errors in the message, where there are any; `settings` are then as they were.
Status read_config(const std::string& path, Settings& settings, ConfigComplaints& complaints);

/// The settings as a file with a comment for each key.
std::string config_text(const Settings& settings);

}  // namespace weft
