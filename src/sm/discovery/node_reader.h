// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads NodeInfo and NodeDescription: the nodes of the fabric, and the neighbor of each port.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ib/node_info.h"
#include "sm/discovery/discovery_state.h"
#include "sm/discovery/key_trial.h"
#include "sm/discovery/node_names.h"

namespace weft {

class NodeReader {
 public:
  /// `state` and `keys` must outlive this object. Nodes in `state` are of an earlier discovery.
  NodeReader(DiscoveryState& state, KeyTrial& keys);
  /// Replaces descriptions of nodes that are not in `state` yet by these names. `names` must
  /// outlive this object.
  void use_names(const NodeNames& names) { names_ = &names; }

  void on_node_info(const DiscoveryQuery& query, const Smp& answer);
  void on_no_node_info(const DiscoveryQuery& query, const QueryFailure& why);
  void on_description(const DiscoveryQuery& query, const Smp& answer);
  void on_no_description(const DiscoveryQuery& query, const QueryFailure& why);

  /// Reads a known switch again: port 0, then SwitchInfo and the other ports. Has no effect if the
  /// switch is already read in this discovery.
  void read_again(std::uint32_t index);
  /// Call when the neighbor of the queried port is gone or may have changed.
  void forget_neighbor(const DiscoveryQuery& query);

  /// As Discovery::switches_behind_down_links().
  const std::set<Guid>& switches_behind_down_links() const { return switches_behind_down_links_; }
  /// Why the manager's own node gave no valid NodeInfo; empty if it gave a valid NodeInfo or was
  /// not queried.
  const std::string& own_failure() const { return own_failure_; }

 private:
  std::uint32_t add_node(const NodeInfo& info, const DirectedPath& path);
  void ask_by_more_ports(const NodeInfo& own);
  bool is_same_node(std::uint32_t index, const NodeInfo& info) const;
  void record_ca_port(std::uint32_t index, const NodeInfo& info, const DiscoveryQuery& query);

  DiscoveryState& state_;
  KeyTrial& keys_;
  const NodeNames* names_ = nullptr;
  std::unordered_map<Guid, std::uint32_t> by_guid_;  // indices of nodes, by node GUID
  std::vector<bool> queried_;  // by index: whether this discovery queries the switch
  std::set<Guid> switches_behind_down_links_;
  std::string own_failure_;
};

}  // namespace weft
