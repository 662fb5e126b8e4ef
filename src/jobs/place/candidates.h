// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Orders of free servers from which the search for a placement begins. Ranks fill the servers of an
// order from its front.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "congestion/routed_network.h"
#include "jobs/place/free_servers.h"

namespace weft::jobs {

using ServerOrder = std::vector<std::uint32_t>;  // positions in the list of free servers

/// The number of servers at the front of an order that together have at least `hosts` hosts; all
/// servers if they have fewer.
std::size_t servers_used(std::span<const FreeServer> servers, const ServerOrder& order,
                         std::size_t hosts);

/// The first `hosts` hosts of the servers of an order.
std::vector<std::uint32_t> hosts_in_order(std::span<const FreeServer> servers,
                                          const ServerOrder& order, std::size_t hosts);

/// Returns orders without duplicates. Each of the following selections of servers gives two orders:
/// the order of the list of free servers; and leaf by leaf, with the leaves in the order of a short
/// closed tour or, if there are more than 256, in the order of the list.
///  - the servers at the front of the list, of which the first order is the packed placement;
///  - the servers of the leaves with the most free servers;
///  - one server of each leaf, then a second server of each leaf, and so on;
///  - for each leaf, or for 64 leaves that `rng` selects, the servers of the nearest leaves; at
///    equal distances, leaves with more free servers come first.
std::vector<ServerOrder> candidate_orders(const RoutedNetwork& network,
                                          std::span<const FreeServer> servers, std::size_t hosts,
                                          Rng rng);

}  // namespace weft::jobs
