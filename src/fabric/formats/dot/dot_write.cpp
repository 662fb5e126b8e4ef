// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/printable.h"
#include "fabric/formats/dot/dot.h"

namespace weft {
namespace {

/// The text as the content of a quoted string.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    if (c == '"' || c == '\\') safe.push_back('\\');
    safe.push_back(c);
  }
  return safe;
}

std::string lid_text(Lid lid, std::uint8_t lmc) {
  if (lid == kLidNone) return {};
  return lmc == 0 ? fmt::format(", lid={}", lid.value())
                  : fmt::format(", lid={}, lmc={}", lid.value(), lmc);
}

void write_node(const Fabric& fabric, NodeId id, const Append& append) {
  const Node& node = fabric.node(id);
  std::string text =
      fmt::format("\t\"{}\" [label=\"{}\", ", dot_name(node), escaped(node.description));
  text += node.type == NodeType::kSwitch ? "shape=box" : "shape=ellipse";
  if (node.type == NodeType::kRouter) text += ", kind=router";
  text += fmt::format(", ports={}", node.port_count);
  if (node.system_guid != Guid{})
    text += fmt::format(", system=\"0x{:x}\"", node.system_guid.value());
  if (node.vendor_id != 0) text += fmt::format(", vendor={}", node.vendor_id);
  if (node.device_id != 0) text += fmt::format(", device={}", node.device_id);
  if (node.enhanced_port0) text += ", enhanced_port0=1";
  if (node.type == NodeType::kSwitch) {
    const Port& port0 = fabric.ports(id)[0];
    if (port0.guid != node.node_guid)
      text += fmt::format(", portguid=\"0x{:x}\"", port0.guid.value());
    text += lid_text(port0.lid, port0.lmc);
  }
  append(text + "];\n");
}

void write_edge(const Fabric& fabric, const Port& from, std::string_view comment,
                const std::string& more, const Append& append) {
  const Port& to = fabric.port(from.peer);
  const Node& node = fabric.node(from.node);
  std::string text =
      fmt::format("\t\"{}\" -> \"{}\" [", dot_name(node), dot_name(fabric.node(to.node)));
  append(text);
  if (!comment.empty()) {
    append("comment=\"");
    append(comment);
    append("\", ");
  }
  text = fmt::format("taillabel={}, headlabel={}, rate=\"{}{}\"", from.num.value(), to.num.value(),
                     name(from.width), name(from.speed));
  if (node.type != NodeType::kSwitch) {
    if (from.guid.value() != node.node_guid.value() + from.num.value())
      text += fmt::format(", portguid=\"0x{:x}\"", from.guid.value());
    text += lid_text(from.lid, from.lmc);
  }
  if (!more.empty()) text += ", " + more;
  append(text + "];\n");
}

}  // namespace

std::string dot_name(const Node& node) {
  return fmt::format("{}{:016x}", node.type == NodeType::kSwitch ? 'S' : 'H',
                     node.node_guid.value());
}

void write_dot_with_comments(const Fabric& fabric, const DotComment& comment, const Append& append,
                             const DotAttributes& more) {
  append("digraph network {\n");
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i) write_node(fabric, NodeId(i), append);
  for (std::uint32_t i = 0; i < fabric.port_count(); ++i) {
    const Port& port = fabric.port(PortId(i));
    if (port.peer == kNoPort) continue;
    const PortId from(i);
    write_edge(fabric, port, comment(from), more ? more(from) : std::string{}, append);
  }
  append("}\n");
}

void write_dot(const Fabric& fabric, const Append& append) {
  write_dot_with_comments(
      fabric, [](PortId) { return std::string_view{}; }, append);
}

}  // namespace weft
