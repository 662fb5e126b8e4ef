// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwarding tables for the fat-tree model of CODES, which assigns its own GUIDs to switches and
// terminals. Format: codes-org/codes, src/networks/model-net/doc/README.fattree.txt.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "exports/routed_fabric.h"

namespace weft {

struct CodesGuids {
  std::vector<std::uint64_t> switches;   // by SwitchId: (level + 1) << 32 plus a number
  std::vector<std::uint64_t> terminals;  // by index of ports_of_hosts(): 64 << 32 plus a number
};

/// Returns the fabric's own GUIDs if all have this form, as in a dump of CODES. Else generates
/// GUIDs from the level of each switch above the leaves and consecutive numbers. Fails with kUsage
/// if there are no routes, with kBadInput if there are no hosts, and with kUnroutable if connected
/// ports of different hosts have no path, or if GUIDs are generated and the fabric is not a tree.
Result<CodesGuids> codes_guids(const RoutedFabric& input);

/// The name of a switch's file: 0x0000000100000000.lft.
std::string codes_file_name(std::uint64_t guid);

/// The forwarding table of a switch: for each terminal a line with GUID and port.
std::string codes_table(const RoutedFabric& input, const CodesGuids& guids, SwitchId sw);

/// GUID and name of each switch and of each host port, as a reference for users; CODES does not
/// read this text.
std::string codes_names(const RoutedFabric& input, const CodesGuids& guids);

}  // namespace weft
