// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/ufm/ufm_inventory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/letters.h"
#include "exports/names.h"

namespace weft::ufm {
namespace {

constexpr std::array<std::string_view, 8> kPhysicalStates = {
    "Unknown", "Sleep", "Polling", "Disabled", "Training", "Link Up", "Link Error Recovery",
    "Phy Test"};
constexpr std::array<std::string_view, 5> kLogicalStates = {"Unknown", "Down", "Initialize",
                                                            "Armed", "Active"};

std::string digits(Guid guid) { return fmt::format("{:016x}", guid.value()); }

std::string_view type_word(NodeType type) {
  return type == NodeType::kSwitch ? "Switch" : type == NodeType::kRouter ? "Router" : "Computer";
}

/// Names, systems and tiers of all nodes, and the nodes that the filter selects.
class Inventory {
 public:
  Inventory(const Snapshot& snapshot, const InventoryFilter& filter)
      : fabric(snapshot.fabric), snapshot_(snapshot), filter_(filter) {
    switches_ = switch_names(fabric, {});
    for (const Host& host : hosts_of(fabric, {}))
      for (const NodeId adapter : host.adapters) hosts_.emplace(adapter.value(), host.name);
    find_tiers();
  }

  const Fabric& fabric;

  Guid system_of(const Node& node) const {
    return node.system_guid == Guid(0) ? node.node_guid : node.system_guid;
  }
  std::string name_of(NodeId id) const {
    if (fabric.is_switch(id)) return switches_[id.value()];
    const auto found = hosts_.find(id.value());
    return found == hosts_.end() ? "H-" + digits(fabric.node(id).node_guid) : found->second;
  }
  bool has(NodeId id) const {
    const Node& node = fabric.node(id);
    if (!filter_.system_type.empty() && lower(type_word(node.type)) != filter_.system_type)
      return false;
    return filter_.system.empty() || filter_.system == name_of(id) ||
           filter_.system == digits(system_of(node));
  }
  /// Hops from the nearest host; 0 for hosts, 1 for leaf switches; 0 also for a switch without a
  /// path to a host.
  unsigned tier(NodeId id) const { return tiers_[id.value()]; }

  std::string port_name(const Port& port) const {
    return fmt::format("{}_{}", digits(port.guid), port.num.value());
  }
  std::string display_name(const Port& port) const {
    return fabric.is_switch(port.node) ? fmt::format("{}", port.num.value())
                                       : fmt::format("HCA/{}", port.num.value());
  }
  const PortInfo* info(const Port& port) const {
    const auto n = port.node.value();
    if (n >= snapshot_.nodes.size()) return nullptr;
    const ObservedNode& node = snapshot_.nodes[n];
    const std::size_t p = port.num.value();
    return p < node.ports.size() && node.answered[p] ? &node.ports[p] : nullptr;
  }
  bool is_active(const Port& port) const {
    const PortInfo* const known = info(port);
    return known != nullptr && known->state == PortState::kActive;
  }
  unsigned lid(const Port& port) const {
    const PortNum holder = fabric.is_switch(port.node) ? PortNum(0) : port.num;
    const EndportId endport = fabric.endport_at(fabric.port_id(port.node, holder));
    return endport == kNoEndport ? 0 : fabric.endport(endport).lid.value();
  }

 private:
  void find_tiers() {
    tiers_.assign(fabric.node_count(), 0);
    std::vector<NodeId> front;
    for (const Endport& endport : fabric.endports()) {
      if (endport.sw == kNoSwitch || fabric.is_switch(endport.node)) continue;
      const NodeId leaf = fabric.node_of(endport.sw);
      if (std::exchange(tiers_[leaf.value()], 1u) == 0) front.push_back(leaf);
    }
    for (unsigned tier = 2; !front.empty(); ++tier) {
      std::vector<NodeId> next;
      for (const NodeId id : front)
        for (const Port& port : fabric.ports(id).subspan(1)) {
          if (port.peer == kNoPort) continue;
          const NodeId peer = fabric.port(port.peer).node;
          if (!fabric.is_switch(peer) || tiers_[peer.value()] != 0) continue;
          tiers_[peer.value()] = tier;
          next.push_back(peer);
        }
      front = std::move(next);
    }
  }

  const Snapshot& snapshot_;
  const InventoryFilter& filter_;
  std::vector<std::string> switches_;
  std::map<std::uint32_t, std::string> hosts_;  // by NodeId
  std::vector<unsigned> tiers_;                 // by NodeId
};

Json peer_json(const Inventory& inventory, const Port& port) {
  const Fabric& fabric = inventory.fabric;
  if (port.peer == kNoPort)
    return {{"peer", "N/A"},
            {"peer_guid", "N/A"},
            {"peer_node_name", "N/A"},
            {"peer_port_dname", "N/A"},
            {"peer_node_description", "N/A"}};
  const Port& peer = fabric.port(port.peer);
  return {{"peer", inventory.port_name(peer)},
          {"peer_guid", digits(inventory.system_of(fabric.node(peer.node)))},
          {"peer_node_name", inventory.name_of(peer.node)},
          {"peer_port_dname", inventory.display_name(peer)},
          {"peer_node_description", fabric.node(peer.node).description}};
}

Json port_object(const Inventory& inventory, const Port& port) {
  const Node& node = inventory.fabric.node(port.node);
  const PortInfo* const info = inventory.info(port);
  const auto word = [](const auto& words, std::size_t at) {
    return words[at < words.size() ? at : 0];
  };
  const bool good = inventory.is_active(port);
  const std::string name = inventory.name_of(port.node);
  Json json{
      {"guid", digits(port.guid)},
      {"name", inventory.port_name(port)},
      {"number", fmt::format("{}", port.num.value())},
      {"port_num", port.num.value()},
      {"lid", inventory.lid(port)},
      {"systemID", digits(inventory.system_of(node))},
      {"system_name", name},
      {"dname", inventory.display_name(port)},
      {"label", inventory.display_name(port)},
      {"node_description", node.description},
      {"description", fmt::format("default / {}: {} / {}", type_word(node.type), name,
                                  inventory.display_name(port))},
      {"tier", inventory.tier(port.node)},
      {"physical_state",
       word(kPhysicalStates, info ? static_cast<std::size_t>(info->phys_state) : 0)},
      {"logical_state", word(kLogicalStates, info ? static_cast<std::size_t>(info->state) : 0)},
      {"severity", good ? "Info" : "Warning"},
      {"active_speed", port.peer == kNoPort ? "N/A" : weft::name(port.speed)},
      {"active_width",
       port.peer == kNoPort ? std::string("N/A") : fmt::format("IB_{}", weft::name(port.width))}};
  json.update(peer_json(inventory, port));
  return json;
}

std::string_view role_of(const Inventory& inventory, NodeId id) {
  if (!inventory.fabric.is_switch(id)) return "endpoint";
  return inventory.tier(id) == 1 ? "tor" : "core";
}

std::string key_text(std::uint64_t key, std::uint64_t published) {
  return key == 0 || key == published ? fmt::format("0x{:016x}", key) : "hidden";
}

}  // namespace

std::optional<std::string> system_type_of(std::string_view word) {
  const std::string type = lower(word);
  if (type == "host") return "computer";
  if (type == "computer" || type == "switch" || type == "router") return type;
  return std::nullopt;
}

Json ports(const Snapshot& snapshot, const InventoryFilter& filter) {
  const Inventory inventory(snapshot, filter);
  Json list = Json::array();
  for (std::uint32_t n = 0; n < snapshot.fabric.node_count(); ++n) {
    if (!inventory.has(NodeId(n))) continue;
    for (const Port& port : snapshot.fabric.ports(NodeId(n)).subspan(1)) {
      if (port.peer == kNoPort && !filter.unconnected) continue;
      if (filter.active && !inventory.is_active(port)) continue;
      list.push_back(port_object(inventory, port));
    }
  }
  return list;
}

Json links(const Snapshot& snapshot, const InventoryFilter& filter) {
  const Inventory inventory(snapshot, filter);
  const Fabric& fabric = snapshot.fabric;
  Json list = Json::array();
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)).subspan(1)) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      if (std::pair(peer.node, peer.num) < std::pair(port.node, port.num)) continue;
      if (!inventory.has(port.node) && !inventory.has(peer.node)) continue;
      list.push_back(
          {{"source_guid", digits(inventory.system_of(fabric.node(port.node)))},
           {"source_port", fmt::format("{}", port.num.value())},
           {"source_port_dname", inventory.display_name(port)},
           {"destination_guid", digits(inventory.system_of(fabric.node(peer.node)))},
           {"destination_port", fmt::format("{}", peer.num.value())},
           {"destination_port_dname", inventory.display_name(peer)},
           {"width", fmt::format("IB_{}", name(port.width))},
           {"severity", inventory.is_active(port) ? "Info" : "Warning"},
           {"name", fmt::format("{}:{}", inventory.port_name(port), inventory.port_name(peer))},
           {"capabilities", Json::array()}});
    }
  return list;
}

Json systems(const Snapshot& snapshot, const InventoryFilter& filter) {
  const Inventory inventory(snapshot, filter);
  const Fabric& fabric = snapshot.fabric;
  std::map<Guid, Json> systems;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const NodeId id(n);
    const Node& node = fabric.node(id);
    if (!inventory.has(id)) continue;
    const Guid system = inventory.system_of(node);
    Json& json = systems[system];
    if (json.is_null()) {
      const bool is_host = node.type == NodeType::kCa;
      json = {{"guid", digits(system)},
              {"system_guid", digits(system)},
              {"name", digits(system)},
              {"system_name", inventory.name_of(id)},
              {"description", node.description},
              {"type", is_host ? "host" : lower(type_word(node.type))},
              {"role", role_of(inventory, id)},
              {"vendor", fmt::format("0x{:06x}", node.vendor_id)},
              {"model", fmt::format("0x{:04x}", node.device_id)},
              {"state", "active"}};
      if (filter.with_ports) json["ports"] = Json::array();
    }
    if (!filter.with_ports) continue;
    for (const Port& port : fabric.ports(id).subspan(1))
      if (port.peer != kNoPort) json["ports"].push_back(inventory.port_name(port));
  }
  Json list = Json::array();
  for (auto& [guid, system] : systems) list.push_back(std::move(system));
  return list;
}

Json virtual_ports(const Snapshot& snapshot) {
  const InventoryFilter all;
  const Inventory inventory(snapshot, all);
  Json list = Json::array();
  for (const auto& [guid, aliases] : snapshot.aliases) {
    const auto endport = snapshot.fabric.find_endport(guid);
    if (!endport) continue;
    const Port& port = snapshot.fabric.port(snapshot.fabric.endport(*endport).port);
    for (const Guid alias : aliases)
      if (alias != Guid(0))
        list.push_back(
            {{"virtual_port_guid", digits(alias)},
             {"virtual_port_state", inventory.is_active(port) ? "Active" : "Down"},
             {"virtual_port_lid", inventory.lid(port)},
             {"system_guid", digits(inventory.system_of(snapshot.fabric.node(port.node)))},
             {"system_name", inventory.name_of(port.node)},
             {"port_guid", digits(guid)},
             {"port_name", inventory.port_name(port)},
             {"physical_port_number", port.num.value()}});
  }
  return list;
}

Json manager_configuration(const Settings& settings) {
  constexpr std::uint64_t kPublicKey = 1;
  return {{"subnet_prefix", fmt::format("0x{:016x}", settings.subnet_prefix)},
          {"m_key", settings.m_key_per_port ? std::string("hidden") : key_text(settings.m_key, 0)},
          {"sm_key", key_text(settings.sm_key, kPublicKey)},
          {"sa_key", key_text(settings.sa_key, kPublicKey)},
          {"m_key_per_port", settings.m_key_per_port}};
}

}  // namespace weft::ufm
