// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Groups the ports of each server, on one adapter or on several, because studies count a server
// once. The groups depend on the descriptions of the adapters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// The number of an adapter, such as 3 of "node07 mlx5_3": up to three digits at the end of a
/// description of several words, after another character of the last word. None for other
/// descriptions.
std::optional<std::uint32_t> adapter_number(std::string_view description);

/// The ports of each server, as positions in `ports`, in the order of adapters and port numbers;
/// servers are in the order of their first port. Ports belong to the same server if they are ports
/// of one node, or of CAs with descriptions that begin with the same word and have
/// adapter_number()s that all differ. The word "localhost", also with a domain, is not the name of
/// a server.
std::vector<std::vector<std::uint32_t>> ports_by_server(const Fabric& fabric,
                                                        std::span<const EndportId> ports);

}  // namespace weft
