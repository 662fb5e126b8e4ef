// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "fabric/formats/json_fabric.h"

namespace weft {
namespace {

using nlohmann::json;
using Handler = json::error_handler_t;

std::string_view type_word(NodeType type) {
  return type == NodeType::kSwitch ? "switch" : type == NodeType::kRouter ? "router" : "ca";
}

/// "description": "...", and "description_hex" with the bytes if they are not UTF-8.
std::string description(const std::string& text) {
  const json value(text);
  const std::string shown = value.dump(-1, ' ', false, Handler::replace);
  std::string keys = "\"description\": " + printable_json(shown);
  if (shown != value.dump(-1, ' ', false, Handler::ignore)) {
    keys += ", \"description_hex\": \"";
    for (const char c : text) keys += fmt::format("{:02x}", static_cast<unsigned char>(c));
    keys += '"';
  }
  return keys;
}

bool is_listed(const Fabric& fabric, const Port& port) {
  const Node& node = fabric.node(port.node);
  const bool is_switch = node.type == NodeType::kSwitch;
  if (port.num == PortNum(0)) return is_switch;
  const Port plain;
  const Guid usual =
      is_switch ? fabric.ports(port.node)[0].guid : Guid(node.node_guid.value() + port.num.value());
  return port.peer != kNoPort || port.guid != usual || port.mtu_cap != plain.mtu_cap ||
         port.data_vls != plain.data_vls || port.lid != plain.lid || port.lmc != plain.lmc;
}

std::string node_text(const Fabric& fabric, NodeId id) {
  const Node& node = fabric.node(id);
  std::string text = fmt::format(
      R"({{"type": "{}", "guid": "0x{:016x}", "system_guid": "0x{:016x}", "vendor_id": {}, )"
      R"("device_id": {}, "revision": {}, "port_count": {}, "enhanced_port0": {}, {}, "ports": [)",
      type_word(node.type), node.node_guid.value(), node.system_guid.value(), node.vendor_id,
      node.device_id, node.revision, node.port_count, node.enhanced_port0,
      description(node.description));
  bool first = true;
  for (const Port& port : fabric.ports(id)) {
    if (!is_listed(fabric, port)) continue;
    text += fmt::format(
        R"({}{{"port": {}, "guid": "0x{:016x}", "lid": {}, "lmc": {}, "mtu": {}, "data_vls": {}}})",
        first ? "" : ", ", port.num.value(), port.guid.value(), port.lid.value(), port.lmc,
        bytes(port.mtu_cap), port.data_vls);
    first = false;
  }
  return text + "]}";
}

std::string link_text(const Fabric& fabric, const Port& a) {
  const Port& b = fabric.port(a.peer);
  return fmt::format(
      R"({{"a": "0x{:016x}", "a_port": {}, "b": "0x{:016x}", "b_port": {}, "width": "{}", "speed": "{}"}})",
      fabric.node(a.node).node_guid.value(), a.num.value(), fabric.node(b.node).node_guid.value(),
      b.num.value(), name(a.width), name(a.speed));
}

}  // namespace

void write_fabric_json(const Fabric& fabric, const Append& append) {
  append(
      fmt::format("{{\"format\": \"weft-fabric\", \"version\": 1,\n"
                  " \"summary\": {{\"switches\": {}, \"cas\": {}, \"links\": {}}},\n \"nodes\": [",
                  fabric.switch_count(), fabric.ca_count(), fabric.link_count()));
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
    append(i == 0 ? "\n  " : ",\n  ");
    append(node_text(fabric, NodeId(i)));
  }
  append("],\n \"links\": [");
  bool first = true;
  for (std::uint32_t i = 0; i < fabric.port_count(); ++i) {
    const Port& port = fabric.port(PortId(i));
    if (port.peer == kNoPort || port.peer < PortId(i)) continue;  // each link once
    append(first ? "\n  " : ",\n  ");
    append(link_text(fabric, port));
    first = false;
  }
  append("]}\n");
}

}  // namespace weft
