// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// prefix-routes.conf: routers to other subnets. A line has a GID prefix and the GUID of a router's
// port, both in hex or "*" for any; the first matching line with a router in the fabric applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

struct PrefixRoute {
  std::optional<std::uint64_t> prefix;  // prefix of GIDs of other subnets; empty: any
  std::optional<Guid> router;           // GUID of a router port; empty: any
  bool operator==(const PrefixRoute&) const = default;
};

/// Fails with kBadInput "FILE:LINE:COLUMN: found .., expected ..", and with kEnvironment if the
/// file cannot be read.
Result<std::vector<PrefixRoute>> read_prefix_routes(const std::string& path);

}  // namespace weft
