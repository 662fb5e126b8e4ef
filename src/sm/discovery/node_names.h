// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Node name map (node_name_map_name): names by node GUID that replace node descriptions in logs and
// dumps. The format is that of ibnetdiscover's --node-name-map. Example of a line:
// `0x0002c9020025874a "spine 1, upper"  # comment`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

using NodeNames = std::map<Guid, std::string>;

/// Reads the file. Fails with kEnvironment if the file cannot be opened. Fails with kBadInput if a
/// GUID is missing, 0 or repeated, if a name is not in quotes, is empty, has more than 128
/// characters or unprintable characters, or if more than a comment follows the name; the message
/// contains file and line.
Result<NodeNames> read_node_names(const std::string& path);
/// Parses the content of a file. `path` is only for messages. Fails with kBadInput as
/// read_node_names().
Result<NodeNames> parse_node_names(std::string text, const std::string& path);

}  // namespace weft
