// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/port_reader.h"

#include <utility>

namespace weft {

void PortReader::on_port_info(const DiscoveryQuery& query, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info) return on_invalid_port_info(query, info.error().message);
  if (state_.is_agent_port(query) && !keys_.confirm(query, *info)) return;
  ObservedNode& seen = state_.node(query.node).seen;
  if (query.port == 0 && seen.info.type == NodeType::kSwitch && !seen.answered[0])
    state_.ask(AttributeId::kSwitchInfo, query.node);
  const PortInfo before = std::exchange(seen.ports[query.port], *info);
  seen.answered[query.port] = true;
  if (!seen.extended.empty()) seen.extended[query.port] = {};
  speeds_.complete(query, *info);
  query_neighbor(query, before);
}

void PortReader::on_invalid_port_info(const DiscoveryQuery& query, const std::string& why) {
  state_.found.illegal.push_back(state_.path_of(query));
  on_no_port_info(query, {fmt::format("answers with invalid data ({})", why), false});
}

void PortReader::on_no_port_info(const DiscoveryQuery& query, const QueryFailure& why) {
  const bool is_switch = state_.is_switch(query.node);
  if (why.silent && is_switch) return state_.leave_out(query, {why.what + " any more", true});
  state_.warn(fmt::format("{} {} to PortInfo: treated as down{}", state_.near_port(query), why.what,
                          why.silent ? "" : ", and retried later"));
  state_.retry_later(query, state_.near_port(query), why.silent);
  if (query.port == 0 && is_switch) state_.ask(AttributeId::kSwitchInfo, query.node);
}

/// True if the link of the port is the same as before.
bool PortReader::is_as_before(const DiscoveryQuery& query, const PortInfo& before) const {
  const DiscoveredNode& near = state_.node(query.node);
  return near.neighbors[query.port].known() && before.state == PortState::kActive &&
         near.seen.ports[query.port].state == PortState::kActive;
}

bool PortReader::is_not_discovered(const DiscoveryQuery& query) const {
  const auto& ends = state_.found.avoided.not_discovered;
  return !ends.empty() &&
         ends.contains({state_.node(query.node).seen.info.node_guid, PortNum(query.port)});
}

/// Queries the neighbor of a port. A CA does not forward packets, so the only CA with a neighbor to
/// query is the manager's own CA, at the manager's port.
void PortReader::query_neighbor(const DiscoveryQuery& query, const PortInfo& before) {
  const bool has_neighbor = state_.is_switch(query.node)
                                ? query.port != 0
                                : query.node == 0 && query.port == state_.found.own_port;
  if (!has_neighbor || is_as_before(query, before)) return;
  nodes_.forget_neighbor(query);
  if (is_not_discovered(query)) return;
  const DiscoveredNode& node = state_.node(query.node);
  if (!link_is_up(node.seen.ports[query.port])) return;
  if (node.seen.path().count >= kHopsMax)
    return state_.warn(
        fmt::format("{} is the maximum of {} hops away: nodes behind port {} cannot "
                    "be reached",
                    describe(node), node.seen.path().count, query.port));
  state_.ask(AttributeId::kNodeInfo, query.node, query.port);
}

}  // namespace weft
