// What the answers of a discovery say, node by node, before anybody has checked that they make
// sense together; and the check, which turns them into an Observed. Two nodes may share a GUID, a
// cable may be moved while one looks, a node may fall silent half way: what does not fit is left
// out and named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sm/observed.h"

namespace weft {

/// Who answered behind a port.
struct Neighbor {
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;
  std::uint32_t node = kNobody;  // index of a DiscoveredNode
  std::uint8_t port = 0;
  bool known() const { return node != kNobody; }
  bool operator==(const Neighbor&) const = default;
};

struct DiscoveredNode {
  ObservedNode seen;
  std::string description;
  bool is_renamed = false;  // the description is the administrator's, whatever the node says
  std::vector<Neighbor> neighbors;  // by port; of switches, and of the manager's own port
  std::vector<Guid> port_guids;     // by port
  std::vector<Neighbor> met_from;   // by port, of nodes that are no switches; empty: not met
  std::string silent;               // why the node is left out; empty: it is not
  bool gone = false;                // nothing leads to it any more: left out without a word
};

/// 'name' (0xGUID), the way every message names a node.
std::string describe(const DiscoveredNode& node);

struct Discovered {
  std::vector<DiscoveredNode> nodes;  // in the order in which they were met; the own node is first
  std::uint8_t own_port = 0;          // the manager's port: 0 on a switch
  std::vector<SilentPort> silent;
  std::vector<std::string> warnings;
  std::vector<std::string> shared_guids;  // of them
};

/// An earlier observation as if it had just been found, without its warnings.
Discovered as_found(const Observed& observed);

/// Finds the ways to all nodes anew, by the fewest hops; nodes without one are gone.
void find_ways(Discovered& found);

/// The fabric that the answers agree upon: cables that both ends confirm (CAs need not: they are
/// not asked), among nodes that answered all that matters and hang together with the own one. Fails
/// with kBadInput only where the graph cannot be built at all.
Result<Observed> assemble(Discovered&& found);

}  // namespace weft
