// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/graphml.h"

#include <fmt/format.h>

#include <array>

#include "exports/xml_text.h"
#include "fabric/link_rates.h"

namespace weft {
namespace {

struct GraphmlKey {
  std::string_view of;
  std::string_view name;
  std::string_view type;
};

constexpr std::array kGraphmlKeys{
    GraphmlKey{"graph", "engine", "string"},
    GraphmlKey{"graph", "vls", "int"},
    GraphmlKey{"node", "type", "string"},
    GraphmlKey{"node", "label", "string"},
    GraphmlKey{"node", "host", "string"},
    GraphmlKey{"node", "guid", "string"},
    GraphmlKey{"node", "system_guid", "string"},
    GraphmlKey{"node", "ports", "int"},
    GraphmlKey{"node", "endpoints", "int"},
    GraphmlKey{"node", "lid", "int"},
    GraphmlKey{"node", "lmc", "int"},
    GraphmlKey{"node", "lft", "string"},
    GraphmlKey{"edge", "src_port", "int"},
    GraphmlKey{"edge", "dst_port", "int"},
    GraphmlKey{"edge", "src_lid", "int"},
    GraphmlKey{"edge", "dst_lid", "int"},
    GraphmlKey{"edge", "width", "string"},
    GraphmlKey{"edge", "speed", "string"},
    GraphmlKey{"edge", "rate", "double"},
};

std::string_view graphml_type(NodeType type) {
  return type == NodeType::kSwitch ? "switch" : type == NodeType::kCa ? "host" : "router";
}

std::string graphml_id(const Node& node) {
  const char letter = node.type == NodeType::kSwitch ? 'S' : node.type == NodeType::kCa ? 'H' : 'R';
  return fmt::format("{}-{:016x}", letter, node.node_guid.value());
}

class GraphmlWriter {
 public:
  GraphmlWriter(const RoutedFabric& input, const GraphmlOptions& options, const Append& append)
      : input_(input), fabric_(input.fabric), options_(options), append_(append) {
    names_.resize(fabric_.node_count());
    for (const Host& host : input.hosts)
      for (const NodeId adapter : host.adapters) names_[adapter.value()] = &host.name;
  }

  void write() {
    append_(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (const GraphmlKey& key : kGraphmlKeys)
      append_(
          fmt::format("  <key id=\"{0}-{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\"/>\n",
                      key.of, key.name, key.type));
    append_("  <graph id=\"fabric\" edgedefault=\"undirected\">\n");
    if (input_.routes != nullptr) {
      append_(fmt::format("    {}{}\n", data("graph", "engine", input_.routes->engine),
                          data("graph", "vls", input_.routes->vls)));
    }
    const std::uint32_t nodes =
        options_.switches_only ? fabric_.switch_count() : fabric_.node_count();
    for (std::uint32_t n = 0; n < nodes; ++n) append_(node(NodeId(n)));
    for (std::uint32_t n = 0; n < nodes; ++n) add_edges(NodeId(n), nodes);
    append_("  </graph>\n</graphml>\n");
  }

 private:
  template <class Value>
  static std::string data(std::string_view of, std::string_view name, const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return fmt::format("<data key=\"{}-{}\">{}</data>", of, name, value);
    } else {
      return fmt::format("<data key=\"{}-{}\">{}</data>", of, name, xml_text(value));
    }
  }

  std::string node(NodeId id) const {
    const Node& node = fabric_.node(id);
    const bool is_switch = fabric_.is_switch(id);
    std::string text = fmt::format("    <node id=\"{}\">", graphml_id(node));
    text += data("node", "type", graphml_type(node.type));
    text += data("node", "label", node.description);
    if (names_[id.value()] != nullptr) text += data("node", "host", *names_[id.value()]);
    text += data("node", "guid", fmt::format("{:016x}", node.node_guid.value()));
    text += data("node", "system_guid", fmt::format("{:016x}", node.system_guid.value()));
    text += data("node", "ports", unsigned{node.port_count});
    text += data("node", "endpoints", endpoints_of(id));
    if (const Endport* endport = first_endport(id);
        endport != nullptr && endport->lid != kLidNone) {
      text += data("node", "lid", endport->lid.value());
      text += data("node", "lmc", unsigned{endport->lmc});
    }
    if (is_switch && input_.routes != nullptr)
      text += data("node", "lft",
                   lft_runs(input_.routes->lfts, SwitchId(id.value()), fabric_.lid_top()));
    return text + "</node>\n";
  }

  /// Number of hosts that SST adds to the node.
  std::size_t endpoints_of(NodeId id) const {
    if (!fabric_.is_switch(id)) return 1;
    return options_.switches_only ? fabric_.endports_at(SwitchId(id.value())).size() : 0;
  }

  /// The endport of port 0 of a switch, or of the first cabled port of another node.
  const Endport* first_endport(NodeId id) const {
    for (const Port& port : fabric_.ports(id)) {
      const EndportId endport = fabric_.endport_at(fabric_.port_id(id, port.num));
      if (endport != kNoEndport) return &fabric_.endport(endport);
    }
    return nullptr;
  }

  /// Adds each cable from the node to itself or to a later node. So `source` is the node that comes
  /// first in the file.
  void add_edges(NodeId id, std::uint32_t nodes) {
    for (const Port& port : fabric_.ports(id)) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric_.port(port.peer);
      const bool is_first = peer.node > id || (peer.node == id && peer.num > port.num);
      if (!is_first || peer.node.value() >= nodes) continue;
      std::string text =
          fmt::format("    <edge id=\"{}\" source=\"{}\" target=\"{}\">", edges_++,
                      graphml_id(fabric_.node(id)), graphml_id(fabric_.node(peer.node)));
      text += data("edge", "src_port", unsigned{port.num.value()});
      text += data("edge", "dst_port", unsigned{peer.num.value()});
      text += end_lid(port, "src_lid") + end_lid(peer, "dst_lid");
      text += data("edge", "width", name(port.width));
      text += data("edge", "speed", name(port.speed));
      text += fmt::format("<data key=\"edge-rate\">{}</data></edge>\n", gigabits(port));
      append_(text);
    }
  }

  /// The LID of an adapter's port, as an attribute of an edge.
  std::string end_lid(const Port& port, std::string_view key) const {
    if (fabric_.is_switch(port.node) || port.lid == kLidNone) return {};
    return data("edge", key, port.lid.value());
  }

  const RoutedFabric& input_;
  const Fabric& fabric_;
  const GraphmlOptions& options_;
  const Append& append_;
  std::vector<const std::string*> names_;  // of hosts, by NodeId
  std::uint64_t edges_ = 0;
};

}  // namespace

void write_graphml(const RoutedFabric& input, const GraphmlOptions& options, const Append& append) {
  GraphmlWriter(input, options, append).write();
}

std::string lft_runs(const Lfts& lfts, SwitchId sw, Lid top) {
  std::string text;
  const unsigned end = top.value() + 1u;
  for (unsigned lid = 1; lid < end;) {
    const PortNum port = lfts.port(sw, Lid(static_cast<std::uint16_t>(lid)));
    const unsigned first = lid++;
    while (lid < end && lfts.port(sw, Lid(static_cast<std::uint16_t>(lid))) == port) ++lid;
    if (port == kNoRoute) continue;
    if (!text.empty()) text += ' ';
    text += first + 1 == lid ? fmt::format("{}", first) : fmt::format("{}-{}", first, lid - 1);
    text += fmt::format(":{}", port.value());
  }
  return text;
}

}  // namespace weft
