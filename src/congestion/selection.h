// Which hosts take part, and in what order: rank i of a pattern is the i-th of them, before they
// are shuffled.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "congestion/routed_network.h"

namespace weft {

enum class Subset {
  kLinearBfs,      // in the order in which a search in breadth from the first node meets them
  kRandom,         // drawn without replacement, once for all runs
  kGuidAscending,  // by the GUID of the node, from the name in a graph
  kGuidDescending,
  kListed,  // as a file lists them
};

struct SubsetSpec {
  Subset kind = Subset::kLinearBfs;
  std::string file;                // of kListed, for messages
  std::vector<std::string> names;  // of kListed: a host's name, label or GUID each
};

/// "rand", "linear_bfs", "guid_asc", "guid_desc", or "file:PATH", which is read: names, labels or
/// GUIDs, one a line, "#" begins a comment. Fails with kUsage on another word.
Result<SubsetSpec> parse_subset(const std::string& text);

/// All hosts: those behind the first node, then, where the network has several parts, those of the
/// next part. Edges are followed in the file's order.
std::vector<std::uint32_t> bfs_order(const RoutedNetwork& network);

/// `size` hosts, 0 for all (of a file: all that it lists). Fails with kUsage where there are not so
/// many, and with kBadInput naming a host of the file that is unknown, ambiguous or listed twice.
Result<std::vector<std::uint32_t>> choose_hosts(const RoutedNetwork& network,
                                                const SubsetSpec& subset, std::uint32_t size,
                                                Rng rng);

}  // namespace weft
