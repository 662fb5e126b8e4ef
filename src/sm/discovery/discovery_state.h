// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The results of a discovery so far, and the requests still to be sent. The readers of a discovery
// share this state: node_reader.h, switch_reader.h, port_reader.h, speed_reader.h. Each reader
// handles the answers to requests for its attributes, and adds follow-up requests.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "ib/ids.h"
#include "ib/smp.h"
#include "sm/discovery/discovered.h"

namespace weft {

/// One request of a discovery.
struct DiscoveryQuery {
  static constexpr std::uint8_t kOwnNode = 255;

  AttributeId attribute{};
  std::uint32_t node = 0;    // node queried; of NodeInfo the node at the near end of the cable
  std::uint8_t port = 0;     // PortInfo: the port; NodeInfo: the near port, kOwnNode for the first
  bool set = false;          // SwitchInfo: clears PortStateChange
  std::uint8_t attempt = 0;  // index into the candidate keys
  bool extended = false;     // PortInfo: with SMSupportExtendedSpeeds

  std::uint64_t cookie() const;
  static DiscoveryQuery of_cookie(std::uint64_t cookie);
  std::uint32_t modifier() const;
};

/// Why a request has no valid answer.
struct QueryFailure {
  std::string what;     // text for messages, after the name of the node or port
  bool silent = false;  // no answer at all: the node gets no more requests
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
  /// 'name' (0xGUID) port N: the port of the query, in messages.
  std::string near_port(const DiscoveryQuery& query) const;
  /// True if the PortInfo of this query contains the M_Key of the SMA.
  bool is_agent_port(const DiscoveryQuery& query) const;

  void ask(AttributeId attribute, std::uint32_t node, std::uint8_t port = 0) {
    queries.push_back({attribute, node, port, false, 0, false});
  }
  void warn(std::string text) { found.warnings.push_back(std::move(text)); }
  /// Records a request to be repeated in light sweeps. `name`: name of the node or port in
  /// messages.
  void retry_later(const DiscoveryQuery& query, std::string name, bool silent);
  /// Leaves the queried node out, and sends no more requests to it.
  void leave_out(const DiscoveryQuery& query, const QueryFailure& why);
};

}  // namespace weft
