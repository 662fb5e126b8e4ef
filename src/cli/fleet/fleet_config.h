// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file of `weft fleet`. Each line has the HTTP service of a subnet manager:
//   NAME URL [token_file FILE] [ca_file FILE] [certificate_file FILE key_file FILE]
// "#" begins a comment. File names must not contain blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api_client.h"

namespace weft::cli {

inline constexpr std::size_t kFleetMax = 256;

struct FleetEntry {
  std::string name;
  ServerArgument server;
};

/// Parses the file. Fails with kBadInput if a line is invalid, two names are equal, or there are
/// more than kFleetMax managers; the message begins with "FILE:LINE: ". Also fails if
/// there is no manager; that message has no line number. `path` is for messages.
Result<std::vector<FleetEntry>> parse_fleet(std::string_view text, const std::string& path);

}  // namespace weft::cli
