// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects the participating hosts and their order: rank i of a pattern is the i-th host before
// shuffling.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "congestion/routed_network.h"

namespace weft {

enum class Subset {
  kLinearBfs,      // in the order of a breadth-first search from the first node
  kRandom,         // drawn without replacement, once for all runs
  kGuidAscending,  // by the GUID of the node, from the name in a graph
  kGuidDescending,
  kListed,  // in the order of a file
};

struct SubsetSpec {
  Subset kind = Subset::kLinearBfs;
  std::string file;                // of kListed, for messages
  std::vector<std::string> names;  // of kListed: name, label or GUID of each host
};

/// "rand", "linear_bfs", "guid_asc", "guid_desc", or "file:PATH", which is read: names, labels or
/// GUIDs, one per line, "#" begins a comment. Fails with kUsage on another word, with kBadInput if
/// the file lists no host, and as for_each_line() if the file cannot be read.
Result<SubsetSpec> parse_subset(const std::string& text);

/// All hosts: first the hosts connected to the first node, then the hosts of the next component, if
/// there are several. Edges are followed in file order.
std::vector<std::uint32_t> bfs_order(const RoutedNetwork& network);

/// Returns `size` hosts, 0 for all (with a file: all listed hosts). Fails with kUsage if there are
/// fewer hosts, and with kBadInput naming a host of the file that is unknown, ambiguous or listed
/// twice, or, for an order by GUID, a host without a GUID.
Result<std::vector<std::uint32_t>> choose_hosts(const RoutedNetwork& network,
                                                const SubsetSpec& subset, std::uint32_t size,
                                                Rng rng);

}  // namespace weft
