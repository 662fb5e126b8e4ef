// prefix-routes.conf: which router leads to a foreign subnet. A line is a prefix of GIDs and the
// GUID of a router's port, both in hex or "*" for any; the first line that fits counts whose router
// is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

struct PrefixRoute {
  std::optional<std::uint64_t> prefix;  // of foreign GIDs; absent: any
  std::optional<Guid> router;           // absent: any
  bool operator==(const PrefixRoute&) const = default;
};

/// Fails with kBadInput "FILE:LINE:COLUMN: found .., want ..", and with kEnvironment where the file
/// cannot be read.
Result<std::vector<PrefixRoute>> read_prefix_routes(const std::string& path);

}  // namespace weft
