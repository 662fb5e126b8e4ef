// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rails: the first adapter ports of the hosts are cabled to one leaf, the second ports to another
// leaf, and so on. The LIDs are ordered so that the paths to the ports of one host use different
// spines. Then a spine carries the traffic of one port of each host, and its failure interrupts
// only this traffic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// The place of a port among the ports of its host, from 0. The adapters of a host are separate
/// CAs, numbered in the last word of their descriptions ("node07 HCA-2", "node07 mlx5_3").
std::uint32_t adapter_port(const Fabric& fabric, const Endport& endport);

struct Rails {
  std::vector<std::uint32_t> of;  // by switch, from 0
  std::uint32_t count = 1;
};

/// A switch is on a rail if most of its CA ports have the same adapter_port(). Rails are numbered
/// in the order of adapter_port(). Switches without such a majority are on rail 0.
Rails rails_of(const Fabric& fabric);

/// The order of CAs of one switch, `cas` by port number. An engine assigns place p of the fabric to
/// the path p modulo `spines`; the places of this switch begin at `first`. CA number j on rail r
/// gets a place with path j + r, as far as the number of places permits. `order` becomes `places`
/// elements, kNoEndport where there is no CA. With spines = 0, the CAs are in the order of port
/// numbers.
void order_by_rail(std::span<const EndportId> cas, std::uint32_t rail, std::uint64_t first,
                   std::uint32_t spines, std::size_t places, std::vector<EndportId>& order);

}  // namespace weft
