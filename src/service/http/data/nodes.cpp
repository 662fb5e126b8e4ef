// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/nodes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/letters.h"
#include "base/text.h"

namespace weft::http_data {
namespace {

/// The LID of the port, or of port 0 for a port of a switch; null if no LID is assigned.
Json lid_of(const Fabric& fabric, const Port& port) {
  const PortNum holder = fabric.is_switch(port.node) ? PortNum(0) : port.num;
  const EndportId endport = fabric.endport_at(fabric.port_id(port.node, holder));
  if (endport == kNoEndport || fabric.endport(endport).lid == kLidNone) return nullptr;
  return fabric.endport(endport).lid.value();
}

/// The position of a port in the hardware; null if the device does not state one.
Json position_of(const Snapshot& snapshot, NodeId node, PortNum port) {
  const auto device = snapshot.planar->find(snapshot.fabric.node(node).node_guid);
  if (device == snapshot.planar->end()) return nullptr;
  const auto found = device->second.positions.find(port.value());
  if (found == device->second.positions.end() || found->second == HardwarePlace{}) return nullptr;
  const HardwarePlace& place = found->second;
  Json json = Json::object();
  std::string label;
  const auto add = [&](const char* key, const std::optional<std::uint32_t>& value) {
    if (!value) return;
    json[key] = *value;
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", key, *value);
  };
  add("system", place.system);
  add("board", place.board);
  add("device", place.device);
  add("slot", place.slot);
  add("asic", place.asic);
  add("cage", place.cage);
  add("port", place.port);
  add("split", place.split);
  json["label"] = std::move(label);
  return json;
}

Json node_json(const Fabric& fabric, NodeId id) {
  const Node& node = fabric.node(id);
  const auto ports = fabric.ports(id);
  std::size_t connected = 0;
  Json lids = Json::array();
  for (const Port& port : ports) {
    if (port.peer != kNoPort) ++connected;
    const EndportId endport = fabric.endport_at(fabric.port_id(id, port.num));
    if (endport != kNoEndport && fabric.endport(endport).lid != kLidNone)
      lids.push_back(fabric.endport(endport).lid.value());
  }
  return {{"guid", hex(node.node_guid)}, {"type", name(node.type)},
          {"name", node.description},    {"lids", std::move(lids)},
          {"ports", node.port_count},    {"ports_connected", connected}};
}

/// Collects the items within the page and counts all items.
class Pager {
 public:
  Pager(std::string_view name, Page page) : name_(name), page_(page) {}
  template <class Make>
  void add(Make make) {
    if (total_ >= page_.offset && items_.size() < page_.limit) items_.push_back(make());
    ++total_;
  }
  Json take() { return {{"total", total_}, {"offset", page_.offset}, {name_, std::move(items_)}}; }

 private:
  std::string name_;
  Page page_;
  std::size_t total_ = 0;
  Json items_ = Json::array();
};

/// Match of a node with a name, GUID or LID: 0 no match, 1 partial match, 2 exact match.
int match(const Fabric& fabric, NodeId id, const std::string& wanted,
          std::optional<std::uint16_t> lid) {
  constexpr std::size_t kGuidDigits = 4;
  const std::string name = lower(fabric.node(id).description);
  if (name == wanted) return 2;
  bool part = name.find(wanted) != std::string::npos;
  const bool guid = wanted.size() >= kGuidDigits;
  if (guid && hex(fabric.node(id).node_guid).find(wanted) != std::string::npos) part = true;
  for (const Port& port : fabric.ports(id)) {
    const EndportId endport = fabric.endport_at(fabric.port_id(id, port.num));
    if (endport == kNoEndport) continue;
    if (lid && *lid != 0 && fabric.endport_of(Lid(*lid)) == endport) return 2;
    if (guid && hex(port.guid).find(wanted) != std::string::npos) part = true;
  }
  return part ? 1 : 0;
}

}  // namespace

Json port_details(const Snapshot& snapshot, const Port& port) {
  const Fabric& fabric = snapshot.fabric;
  Json json = end_of(fabric, port);
  json["guid"] = hex(port.guid);
  json["lid"] = lid_of(fabric, port);
  json["state"] = state_of(snapshot, port);
  json["peer"] = nullptr;
  if (const FnmEnd* const fnm = fabric.fnm_end(fabric.port_id(port.node, port.num)))
    json["fnm_peer"] =
        fnm->peer == kNoPort ? Json(nullptr) : end_of(fabric, fabric.port(fnm->peer));
  if (port.peer == kNoPort) return json;
  add_rate(port, json);
  json["mtu"] = bytes(port.mtu_cap);
  json["data_vls"] = port.data_vls;
  json["peer"] = end_of(fabric, fabric.port(port.peer));
  return json;
}

std::string_view state_of(const Snapshot& snapshot, const Port& port) {
  constexpr std::array<std::string_view, 5> kNames{"unknown", "down", "init", "armed", "active"};
  const auto n = port.node.value();
  if (n >= snapshot.nodes.size()) return kNames[0];
  const ObservedNode& seen = snapshot.nodes[n];
  const std::size_t p = port.num.value();
  if (p >= seen.ports.size() || !seen.answered[p]) return kNames[0];
  const auto state = static_cast<std::size_t>(seen.ports[p].state);
  return kNames[state < kNames.size() ? state : 0];
}

Json nodes(const Snapshot& snapshot, std::string_view type, std::string_view part, Page page) {
  const Fabric& fabric = snapshot.fabric;
  Pager pager("nodes", page);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const Node& node = fabric.node(NodeId(n));
    if (!type.empty() && name(node.type) != type) continue;
    if (node.description.find(part) == std::string::npos) continue;
    pager.add([&] { return node_json(fabric, NodeId(n)); });
  }
  return pager.take();
}

Json node(const Snapshot& snapshot, NodeId id) {
  const Fabric& fabric = snapshot.fabric;
  Json json = node_json(fabric, id);
  const Node& node = fabric.node(id);
  json["system_guid"] = hex(node.system_guid);
  json["vendor_id"] = node.vendor_id;
  json["device_id"] = node.device_id;
  json["position"] = position_of(snapshot, id, PortNum(0));
  json["port_list"] = Json::array();
  for (const Port& port : fabric.ports(id).subspan(1)) {
    json["port_list"].push_back(port_details(snapshot, port));
    json["port_list"].back()["position"] = position_of(snapshot, id, port.num);
  }
  return json;
}

Json ports(const Snapshot& snapshot, bool connected, Page page) {
  const Fabric& fabric = snapshot.fabric;
  Pager pager("ports", page);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)).subspan(1))
      if (!connected || port.peer != kNoPort)
        pager.add([&] { return port_details(snapshot, port); });
  return pager.take();
}

/// JSON of the links; each link is listed once.
Json links(const Snapshot& snapshot, Page page) {
  const Fabric& fabric = snapshot.fabric;
  Pager pager("links", page);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)).subspan(1)) {
      const FnmEnd* const fnm = fabric.fnm_end(fabric.port_id(port.node, port.num));
      const PortId far = fnm == nullptr ? port.peer : fnm->peer;
      if (far == kNoPort) continue;
      const Port& peer = fabric.port(far);
      if (std::pair(peer.node, peer.num) < std::pair(port.node, port.num)) continue;
      pager.add([&] {
        Json json{{"a", end_of(fabric, port)}, {"b", end_of(fabric, peer)}};
        add_rate(port, json);
        json["state"] = state_of(snapshot, port);
        json["kind"] = fnm == nullptr ? "data" : "fnm";
        json["between_switches"] = fabric.is_switch(port.node) && fabric.is_switch(peer.node);
        return json;
      });
    }
  return pager.take();
}

Json search(const Snapshot& snapshot, std::string_view text, std::size_t limit) {
  const Fabric& fabric = snapshot.fabric;
  const std::string wanted = lower(text);
  const auto lid = parse_number<std::uint16_t>(text);
  std::vector<NodeId> whole, part;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const int found = match(fabric, NodeId(n), wanted, lid);
    if (found > 0) (found == 2 ? whole : part).push_back(NodeId(n));
  }
  const std::size_t total = whole.size() + part.size();
  whole.insert(whole.end(), part.begin(), part.end());
  Json list = Json::array();
  for (const NodeId id : whole) {
    if (list.size() == limit) break;
    list.push_back(node_json(fabric, id));
  }
  return {{"total", total}, {"nodes", std::move(list)}};
}

}  // namespace weft::http_data
