// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/graphml.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "fabric/formats/graphml_elements.h"
#include "fabric/formats/guid_generator.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/link_of_rate.h"

namespace weft {
namespace {

constexpr std::uint32_t kGraphmlHostsMax = 49'151;  // hosts that `endpoints` counts

std::optional<NodeType> type_of_word(std::string_view word) {
  if (word.empty() || word == "switch" || word == "sw") return NodeType::kSwitch;
  if (word == "host" || word == "ca" || word == "hca" || word == "nic" || word == "server")
    return NodeType::kCa;
  if (word == "router") return NodeType::kRouter;
  return {};
}

class GraphmlFabric {
 public:
  GraphmlFabric(const LineReader& lines, GraphmlGraph graph, FabricBuilder& builder,
                Warnings& warnings)
      : lines_(lines), graph_(std::move(graph)), builder_(builder), warnings_(warnings) {}

  Status build() {
    if (graph_.directed) join_directions();
    if (auto status = find_types(); !status) return status;
    if (auto status = assign_ports(); !status) return status;
    if (auto status = add_nodes(); !status) return status;
    if (auto status = add_edges(); !status) return status;
    return add_endpoints();
  }

 private:
  Status fail_of(std::size_t line, std::string_view what) const {
    return fail(Code::kBadInput, "{}:{}: {}", lines_.path(), line, what);
  }
  std::string named(std::uint32_t node) const { return quote_net_text(graph_.nodes[node].id); }

  /// Makes cables of edges: two opposite edges are one cable, and an edge without an opposite one
  /// is a cable too.
  void join_directions() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> alone;
    std::vector<GraphmlEdge> cables;
    for (const GraphmlEdge& edge : graph_.edges) {
      const auto opposite = alone.find({edge.target, edge.source});
      if (edge.source != edge.target && opposite != alone.end() && opposite->second > 0) {
        --opposite->second;
        continue;
      }
      ++alone[{edge.source, edge.target}];
      cables.push_back(edge);
    }
    graph_.edges = std::move(cables);
  }

  Status find_types() {
    bool described = false;
    for (const GraphmlNode& node : graph_.nodes) {
      std::string word(trim(node.type));
      std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
      const auto type = type_of_word(word);
      if (!type)
        return fail_of(node.line,
                       fmt::format("node {}: type: found {}, expected switch, host or router",
                                   quote_net_text(node.id), quote_net_text(node.type)));
      type_.push_back(*type);
      described = described || !word.empty() || node.endpoints;
    }
    if (!described)
      warnings_.add(
          fmt::format("{}: no node has the attribute type or endpoints: each of the {} "
                      "nodes is read as a switch with one host",
                      lines_.path(), graph_.nodes.size()));
    std::uint64_t hosts = 0;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const unsigned count =
          type_[n] != NodeType::kSwitch ? 0 : graph_.nodes[n].endpoints.value_or(described ? 0 : 1);
      hosts_.push_back(count);
      hosts += count;
    }
    if (hosts > kGraphmlHostsMax)
      return fail_of(1, fmt::format("endpoints: found {} in all, expected at most {}", hosts,
                                    kGraphmlHostsMax));
    return {};
  }

  /// Assigns the ports that edges state first, then the lowest free ports to other edges, then
  /// ports for the counted hosts.
  Status assign_ports() {
    taken_.resize(graph_.nodes.size());
    next_.assign(graph_.nodes.size(), 1);
    for (GraphmlEdge& edge : graph_.edges) {
      if (edge.source == edge.target && (!edge.src_port || !edge.dst_port))
        return fail_of(edge.line,
                       fmt::format("the edge connects {} to itself: expected src_port and "
                                   "dst_port",
                                   named(edge.source)));
      for (const auto& [node, port] :
           {std::pair(edge.source, edge.src_port), std::pair(edge.target, edge.dst_port)}) {
        if (!port) continue;
        if (*port == 0 || !take(node, *port))
          return fail_of(edge.line, fmt::format("port {} of node {}: {}", *port, named(node),
                                                *port == 0 ? "expected 1 to 254"
                                                           : "has another cable already"));
      }
    }
    for (GraphmlEdge& edge : graph_.edges)
      for (auto* end : {&edge.src_port, &edge.dst_port}) {
        if (*end) continue;
        const std::uint32_t node = end == &edge.src_port ? edge.source : edge.target;
        const unsigned port = free_port(node);
        if (port > kPortMax)
          return fail_of(edge.line,
                         fmt::format("node {} has more than {} edges", named(node), kPortMax));
        *end = port;
      }
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      for (unsigned i = 0; i < hosts_[n]; ++i) {
        const unsigned port = free_port(n);
        if (port > kPortMax)
          return fail_of(
              graph_.nodes[n].line,
              fmt::format("node {} has more than {} edges and endpoints", named(n), kPortMax));
        host_ports_.push_back({n, port});
      }
      const auto& ports = graph_.nodes[n].ports;
      if (ports && *ports < highest(n))
        return fail_of(graph_.nodes[n].line,
                       fmt::format("node {}: ports: found {}, expected at least {}, the highest "
                                   "port of its edges and endpoints",
                                   named(n), *ports, highest(n)));
    }
    return {};
  }

  bool take(std::uint32_t node, unsigned port) {
    if (taken_[node].size() <= port) taken_[node].resize(port + 1u);
    const bool fresh = !taken_[node][port];
    taken_[node][port] = true;
    return fresh;
  }
  unsigned free_port(std::uint32_t node) {
    while (!take(node, next_[node])) ++next_[node];
    return next_[node];
  }
  /// The highest port number in use.
  unsigned highest(std::uint32_t node) const {
    return taken_[node].empty() ? 0 : static_cast<unsigned>(taken_[node].size() - 1);
  }

  Status add_nodes() {
    for (const GraphmlNode& node : graph_.nodes)
      if (const auto guid = guid_of(node); guid && !guids_.take(*guid))
        return fail_of(node.line, fmt::format("node {}: GUID 0x{:016x} is the GUID of another node",
                                              quote_net_text(node.id), guid->value()));
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      const GraphmlNode& given = graph_.nodes[n];
      Node node;
      node.type = type_[n];
      node.port_count = static_cast<std::uint8_t>(given.ports.value_or(std::max(1u, highest(n))));
      const auto guid = guid_of(given);
      node.node_guid = guid ? *guid : guids_.next(node.type, node.port_count);
      node.system_guid = given.system_guid.value_or(node.node_guid);
      node.description = given.label.empty() ? given.id : given.label;
      index_.push_back(builder_.add_node(std::move(node)));
      if (type_[n] == NodeType::kSwitch && given.lid.value_or(0) != 0)
        if (auto status = describe(n, 0, lid_spec(*given.lid, n), given.line); !status)
          return status;
    }
    return {};
  }

  static std::optional<Guid> guid_of(const GraphmlNode& node) {
    return node.guid ? node.guid : guid_in_net_id(node.id);
  }

  FabricBuilder::PortSpec lid_spec(unsigned lid, std::uint32_t node) const {
    FabricBuilder::PortSpec spec;
    spec.lid = LidRange{Lid(static_cast<std::uint16_t>(lid)),
                        static_cast<std::uint8_t>(graph_.nodes[node].lmc.value_or(0))};
    return spec;
  }

  Status describe(std::uint32_t node, unsigned port, const FabricBuilder::PortSpec& spec,
                  std::size_t line) {
    const auto status =
        builder_.describe_port(index_[node], PortNum(static_cast<std::uint8_t>(port)), spec);
    return status ? status : fail_of(line, status.error().message);
  }

  Status add_edges() {
    for (const GraphmlEdge& edge : graph_.edges) {
      const FabricBuilder::PortSpec link = link_spec(edge);
      for (const auto& [node, port, lid] :
           {std::tuple(edge.source, *edge.src_port, edge.src_lid),
            std::tuple(edge.target, *edge.dst_port, edge.dst_lid)}) {
        if (auto status = describe(node, port, link, edge.line); !status) return status;
        if (type_[node] != NodeType::kSwitch && lid.value_or(0) != 0)
          if (auto status = describe(node, port, lid_spec(*lid, node), edge.line); !status)
            return status;
      }
      const auto status =
          builder_.connect(index_[edge.source], PortNum(static_cast<std::uint8_t>(*edge.src_port)),
                           index_[edge.target], PortNum(static_cast<std::uint8_t>(*edge.dst_port)));
      if (!status) return fail_of(edge.line, status.error().message);
    }
    return {};
  }

  FabricBuilder::PortSpec link_spec(const GraphmlEdge& edge) {
    FabricBuilder::PortSpec spec;
    spec.width = edge.width;
    spec.speed = edge.speed;
    if (!edge.gbps || edge.width || edge.speed) return spec;
    const LinkOfRate link = link_of_rate(*edge.gbps);
    spec.width = link.width;
    spec.speed = link.speed;
    if (!link.exact && !warned_of_rate_) {
      warnings_.add(fmt::format("{}:{}: no InfiniBand link has {} Gbit/s: read as {}{}",
                                lines_.path(), edge.line, *edge.gbps, name(link.width),
                                name(link.speed)));
      warned_of_rate_ = true;
    }
    return spec;
  }

  /// Adds the hosts that `endpoints` counts.
  Status add_endpoints() {
    std::vector<unsigned> number(graph_.nodes.size(), 0);
    for (const auto& [at, port] : host_ports_) {
      Node node;
      node.type = NodeType::kCa;
      node.port_count = 1;
      node.node_guid = node.system_guid = guids_.next(NodeType::kCa, 1);
      const GraphmlNode& of = graph_.nodes[at];
      node.description =
          fmt::format("{}-host-{}", of.label.empty() ? of.id : of.label, ++number[at]);
      const auto index = builder_.add_node(std::move(node));
      const auto status =
          builder_.connect(index_[at], PortNum(static_cast<std::uint8_t>(port)), index, PortNum(1));
      if (!status) return fail_of(of.line, status.error().message);
    }
    return {};
  }

  const LineReader& lines_;
  GraphmlGraph graph_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  // Members by node:
  std::vector<NodeType> type_;
  std::vector<unsigned> hosts_;  // number of hosts that `endpoints` counts
  std::vector<std::vector<bool>> taken_;
  std::vector<unsigned> next_;  // all lower ports are in use
  std::vector<FabricBuilder::NodeIndex> index_;
  std::vector<std::pair<std::uint32_t, unsigned>> host_ports_;
  GuidGenerator guids_;
  bool warned_of_rate_ = false;
};

}  // namespace

bool looks_like_graphml(std::string_view head) {
  return head.find("<graphml") != std::string_view::npos;
}

Status read_graphml(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                    Warnings& warnings) {
  auto graph = parse_graphml(lines);
  if (!graph) return forward(graph);
  return GraphmlFabric(lines, std::move(*graph), builder, warnings).build();
}

}  // namespace weft
