// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/node_reader.h"

#include <utility>

#include "base/printable.h"

namespace weft {
namespace {

/// Whether the port count, the port number and the GUIDs in NodeInfo are valid.
bool is_valid_node_info(const NodeInfo& info) {
  if (info.port_count == 0 || info.port_count == 255) return false;
  if (info.node_guid == Guid(0) || info.port_guid == Guid(0)) return false;
  if (info.local_port.value() > info.port_count) return false;
  return info.type == NodeType::kSwitch || info.local_port != PortNum(0);
}

}  // namespace

NodeReader::NodeReader(DiscoveryState& state, KeyTrial& keys) : state_(state), keys_(keys) {
  const auto& nodes = state.found.nodes;
  queried_.assign(nodes.size(), false);
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    by_guid_.emplace(nodes[n].seen.info.node_guid, n);
}

void NodeReader::on_node_info(const DiscoveryQuery& query, const Smp& answer) {
  const bool own = query.port == DiscoveryQuery::kOwnNode;
  const auto info = decode_node_info(answer.data);
  if (!info || !is_valid_node_info(*info)) {
    state_.found.illegal.push_back(state_.path_of(query));
    return on_no_node_info(query, {"answers with invalid NodeInfo", false});
  }
  const auto known = by_guid_.find(info->node_guid);
  const bool is_new = known == by_guid_.end();
  if (!is_new && !is_same_node(known->second, *info)) {
    state_.warn(fmt::format(
        "GUID 0x{:016x}: {} and another node behind {} have this GUID: the other node is left out",
        info->node_guid.value(), describe(state_.node(known->second)), state_.near_port(query)));
    state_.found.shared_guids.push_back(state_.found.warnings.back());
    return;
  }
  const std::uint32_t index = is_new ? add_node(*info, state_.path_of(query)) : known->second;
  if (info->type == NodeType::kSwitch) read_again(index);
  const std::uint8_t port = info->local_port.value();
  if (own) state_.found.own_port = info->type == NodeType::kSwitch ? std::uint8_t{0} : port;
  keys_.node_answered(query, info->port_guid);
  record_ca_port(index, *info, query);
  if (own) return ask_by_more_ports(*info);
  state_.node(query.node).neighbors[query.port] = {index, port};
  state_.links_changed = true;
}

void NodeReader::ask_by_more_ports(const NodeInfo& own) {
  if (own.type == NodeType::kSwitch) return;
  for (const PortNum port : state_.found.more_own_ports)
    if (port != own.local_port && port != PortNum(0) && port.value() <= own.port_count)
      state_.ask(AttributeId::kNodeInfo, 0, port.value());
}

void NodeReader::on_no_node_info(const DiscoveryQuery& query, const QueryFailure& why) {
  if (state_.found.nodes.empty()) {
    own_failure_ = why.what;
    return;
  }
  state_.warn(fmt::format("the node behind {} {}: left out{}", state_.near_port(query), why.what,
                          why.silent ? keys_.advice(query) : ", and retried later"));
  if (why.silent) keys_.guess(query);
  state_.retry_later(query, state_.near_port(query), why.silent);
}

void NodeReader::on_description(const DiscoveryQuery& query, const Smp& answer) {
  DiscoveredNode& node = state_.node(query.node);
  std::string text = decode_node_description(answer.data)->text;
  std::string name = printable(text);
  if (node.is_renamed || name != text) node.seen.own_description = std::move(text);
  if (!node.is_renamed) node.description = std::move(name);
}

void NodeReader::on_no_description(const DiscoveryQuery& query, const QueryFailure& why) {
  const std::string name = describe(state_.node(query.node));
  state_.warn(fmt::format("{} {} to NodeDescription", name, why.what));
  if (why.silent) state_.retry_later(query, name, true);
}

std::uint32_t NodeReader::add_node(const NodeInfo& info, const DirectedPath& path) {
  const auto index = static_cast<std::uint32_t>(state_.found.nodes.size());
  by_guid_.emplace(info.node_guid, index);
  queried_.push_back(true);
  const std::size_t ports = std::size_t{info.port_count} + 1;
  const bool is_switch = info.type == NodeType::kSwitch;
  DiscoveredNode draft;
  draft.seen.info = info;
  draft.seen.ports.resize(ports);
  draft.seen.answered.resize(ports, false);
  draft.seen.paths.resize(is_switch ? 1 : ports);
  draft.seen.paths[0] = path;
  draft.neighbors.resize(ports);
  draft.port_guids.resize(ports, info.port_guid);  // all ports of a switch have the same GUID
  if (names_ != nullptr)
    if (const auto named = names_->find(info.node_guid); named != names_->end()) {
      draft.description = named->second;
      draft.is_renamed = true;
    }
  state_.found.nodes.push_back(std::move(draft));
  state_.ask(AttributeId::kNodeDescription, index);
  if (is_switch) state_.ask(AttributeId::kPortInfo, index);  // M_Key, needed before any Set
  return index;
}

/// Whether the answer may be of the known node; false if another node has the same GUID.
bool NodeReader::is_same_node(std::uint32_t index, const NodeInfo& info) const {
  const DiscoveredNode& known = state_.node(index);
  const NodeInfo& first = known.seen.info;
  if (first.type != info.type || first.port_count != info.port_count ||
      first.system_guid != info.system_guid)
    return false;
  if (info.type == NodeType::kSwitch) return first.port_guid == info.port_guid;
  const std::uint8_t port = info.local_port.value();
  const bool met =
      known.seen.paths[port].count > 0 || (index == 0 && port == state_.found.own_port);
  return !met || known.port_guids[port] == info.port_guid;
}

/// Stores a port of a CA. The ports of a CA are discovered separately, because each port has a
/// GUID, a path and an SMA.
void NodeReader::record_ca_port(std::uint32_t index, const NodeInfo& info,
                                const DiscoveryQuery& query) {
  DiscoveredNode& met = state_.node(index);
  const std::uint8_t port = info.local_port.value();
  if (info.type == NodeType::kSwitch || met.seen.paths[port].count > 0) return;
  if (index == 0 && state_.found.nodes.size() > 1 && port == state_.found.own_port) return;
  met.port_guids[port] = info.port_guid;
  met.seen.paths[port] = state_.path_of(query);
  if (query.port != DiscoveryQuery::kOwnNode) {
    met.reached_from.resize(met.seen.ports.size());
    met.reached_from[port] = {query.node, query.port};
  }
  state_.ask(AttributeId::kPortInfo, index, port);
}

void NodeReader::read_again(std::uint32_t index) {
  if (queried_[index]) return;
  queried_[index] = true;
  DiscoveredNode& node = state_.node(index);
  node.seen.answered[0] = false;
  keys_.assume_known(node.port_guids[0]);
  state_.ask(AttributeId::kPortInfo, index);
}

void NodeReader::forget_neighbor(const DiscoveryQuery& query) {
  DiscoveredNode& near = state_.node(query.node);
  const Neighbor far = std::exchange(near.neighbors[query.port], {});
  if (!far.known()) return;
  state_.links_changed = true;
  DiscoveredNode& other = state_.node(far.node);
  if (other.seen.info.type == NodeType::kSwitch) {
    if (queried_[far.node]) return;  // PortInfo of the other end is read
    other.neighbors[far.port] = {};
    // If the link is up, the neighbor is discovered again in this discovery.
    if (!link_is_up(near.seen.ports[query.port]))
      switches_behind_down_links_.insert(other.seen.info.node_guid);
    return;
  }
  other.seen.answered[far.port] = false;
  other.seen.paths[far.port] = {};
  // The manager's own port is not discovered by a link, so query it here.
  if (far.node == 0 && far.port == state_.found.own_port)
    state_.ask(AttributeId::kPortInfo, far.node, far.port);
}

}  // namespace weft
