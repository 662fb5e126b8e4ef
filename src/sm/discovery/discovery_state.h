// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The current results of a discovery, and the requests to be sent. The readers of a discovery share
// this state: node_reader.h, switch_reader.h, port_reader.h, speed_reader.h. Each reader handles
// the answers with its attributes, and adds follow-up requests.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "ib/ids.h"
#include "ib/smp.h"
#include "sm/discovery/discovered.h"

namespace weft {

/// A request of a discovery.
struct DiscoveryQuery {
  static constexpr std::uint8_t kOwnNode = 255;

  AttributeId attribute{};
  std::uint32_t node = 0;    // queried node; NodeInfo: the node at the near end of the cable
  std::uint8_t port = 0;     // PortInfo: the port; NodeInfo: the near port, kOwnNode for the first
  bool set = false;          // SwitchInfo: clears PortStateChange
  std::uint8_t attempt = 0;  // index in the list of candidate keys
  bool extended = false;     // PortInfo: with SMSupportExtendedSpeeds

  std::uint64_t cookie() const;
  static DiscoveryQuery of_cookie(std::uint64_t cookie);
  std::uint32_t modifier() const;
};

/// Why a request has no valid answer.
struct QueryFailure {
  std::string what;     // text that follows the name of the node or port in messages
  bool silent = false;  // no answer to any try; false: an error status or invalid values
};

struct DiscoveryState {
  Discovered found;
  std::deque<DiscoveryQuery> queries;  // in the order to be sent
  bool links_changed = false;          // a neighbor of at least one port was found or lost

  DiscoveredNode& node(std::uint32_t index) { return found.nodes[index]; }
  const DiscoveredNode& node(std::uint32_t index) const { return found.nodes[index]; }
  bool is_switch(std::uint32_t index) const {
    return node(index).seen.info.type == NodeType::kSwitch;
  }

  DirectedPath path_of(const DiscoveryQuery& query) const;
  /// The port of the query in messages: 'name' (0xGUID) port N.
  std::string near_port(const DiscoveryQuery& query) const;
  /// Whether the PortInfo of this query contains the M_Key of the SMA.
  bool is_agent_port(const DiscoveryQuery& query) const;

  void ask(AttributeId attribute, std::uint32_t node, std::uint8_t port = 0) {
    queries.push_back({attribute, node, port, false, 0, false});
  }
  void warn(std::string text) { found.warnings.push_back(std::move(text)); }
  /// Adds a request that light sweeps repeat. `name`: the node or port in messages. `silent`: the
  /// request was not answered.
  void retry_later(const DiscoveryQuery& query, std::string name, bool silent);
  /// Leaves the queried node out; it gets no more requests.
  void leave_out(const DiscoveryQuery& query, const QueryFailure& why);
};

}  // namespace weft
