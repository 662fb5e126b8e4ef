// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Node name map (node_name_map_name): names by node GUID, which logs and dumps use instead of the
// node description. The format is that of ibnetdiscover's --node-name-map: one `0x0002c9020025874a
// "spine 1, upper"  # comment` per line.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

using NodeNames = std::map<Guid, std::string>;

/// Fails with kEnvironment if the file cannot be read. Fails with kBadInput, naming file, line and
/// column, if a GUID is missing or repeated, or a name is not in quotes, is empty, too long or has
/// unprintable characters.
Result<NodeNames> read_node_names(const std::string& path);
/// Parses the same format from `text`; `path` appears in messages only.
Result<NodeNames> parse_node_names(std::string text, const std::string& path);

}  // namespace weft
