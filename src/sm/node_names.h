// What the administrator calls nodes (node_name_map_name): names by node GUID, which logs and dumps
// use instead of the node's own description. The format is that of ibnetdiscover's
// --node-name-map: `0x0002c9020025874a "spine 1, upper"  # comment` on a line.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

using NodeNames = std::map<Guid, std::string>;

/// Fails with kEnvironment where the file cannot be read, and with kBadInput naming file, line and
/// column: no GUID, a GUID with a name already, a name that is not in quotes, is empty, too long or
/// holds what cannot be printed.
Result<NodeNames> read_node_names(const std::string& path);
/// The same from text; `path` stands in messages.
Result<NodeNames> parse_node_names(std::string text, const std::string& path);

}  // namespace weft
