// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The hosts that a job may use, from a list of names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"
#include "jobs/placement.h"

namespace weft::jobs {

/// A server with its free hosts in the order of rails.
struct FreeServer {
  std::uint32_t server = 0;
  std::vector<std::uint32_t> hosts;
  bool operator==(const FreeServer&) const = default;
};

/// Returns the servers with hosts in `list`, which is a hostlist or file:PATH. Each name is the
/// name, description or GUID of a host, or the name of a server, which selects all its hosts. The
/// result has the order of `servers`, not that of the list. Fails with kBadInput; the message
/// begins with `where` and names a host that is unknown, ambiguous or listed twice. Also fails as
/// listed_names() does.
Result<std::vector<FreeServer>> free_servers(const RoutedNetwork& network, const Servers& servers,
                                             const std::string& list, const std::string& where);

}  // namespace weft::jobs
