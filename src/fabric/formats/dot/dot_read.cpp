// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "fabric/formats/dot/dot.h"
#include "fabric/formats/guid_generator.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoEdge = 0xFFFFFFFF;

/// The GUID in "H0002c903000e0b72" or "S-0002c903000e0b72". Fewer than 12 digits are a sequence
/// number, not a GUID.
std::optional<Guid> guid_in_dot_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  name.remove_prefix(1);
  if (name.starts_with('-')) name.remove_prefix(1);
  if (name.size() < 12 || name.size() > 16) return std::nullopt;
  const auto value = parse_number<std::uint64_t>(name, 16);
  return value && *value != 0 ? std::optional(Guid(*value)) : std::nullopt;
}

/// The label as Graphviz displays it, but on one line: \\ is a backslash, \n, \l and \r become
/// spaces, and \N is the name of the node.
std::string shown_label(std::string_view label, std::string_view name) {
  std::string shown;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] != '\\' || i + 1 == label.size()) {
      shown.push_back(label[i]);
      continue;
    }
    const char c = label[++i];
    if (c == 'N')
      shown.append(name);
    else
      shown.push_back(c == 'n' || c == 'l' || c == 'r' ? ' ' : c);
  }
  return shown;
}

std::uint8_t parse_port(std::string_view text) {
  const auto port = parse_number<std::uint8_t>(text);
  return port && *port <= kPortMax ? *port : std::uint8_t{0};
}

/// Takes the GUID and the number of ports in the comment of a node in a dump of CODES:
/// "0x0000000100000000,radix=36".
void take_codes_node(std::string_view comment, DotGraph::NodeDraft& draft) {
  if (!comment.starts_with("0x")) return;
  for (const std::string_view part : split(comment, ',')) {
    if (const auto guid = parse_number<std::uint64_t>(part, 16); guid && part.starts_with("0x"))
      draft.node.node_guid = Guid(*guid);
    if (part.starts_with("radix=")) draft.port_count_given = parse_port(part.substr(6));
  }
}

/// Takes the ports in the comment of an edge in a dump of CODES, "P4->P1"; "P?" is an unknown port.
void take_codes_ports(std::string_view comment, DotGraph::Edge& edge) {
  const std::size_t arrow = comment.find("->P");
  if (!comment.starts_with('P') || arrow == std::string_view::npos) return;
  if (edge.tail_port == 0) edge.tail_port = parse_port(comment.substr(1, arrow - 1));
  if (edge.head_port == 0) edge.head_port = parse_port(comment.substr(arrow + 3));
}

class GraphReader {
 public:
  GraphReader(LineReader& lines, Warnings& warnings) : lines_(lines), warnings_(warnings) {}

  Result<DotGraph> read() {
    const DotSink sink{[this](std::size_t line, const std::string& name,
                              std::span<const DotAttribute> attributes) {
                         line_ = line;
                         return take_node(name, attributes);
                       },
                       [this](std::size_t line, const DotEnd& tail, const DotEnd& head,
                              std::span<const DotAttribute> attributes) {
                         line_ = line;
                         return take_edge(tail, head, attributes);
                       }};
    const auto directed = parse_dot(lines_, sink);
    if (!directed) return forward(directed);
    if (graph_.nodes.empty())
      return fail(Code::kBadInput, "{}: the graph has no node", lines_.path());
    directed_ = *directed;
    if (directed_) pair_edges();
    if (auto status = settle_ports(); !status) return forward(status);
    if (auto status = name_nodes(); !status) return forward(status);
    return std::move(graph_);
  }

 private:
  std::uint32_t node_of(const std::string& name) {
    const auto next = static_cast<std::uint32_t>(graph_.nodes.size());
    const auto [at, fresh] = nodes_.try_emplace(name, next);
    if (fresh) {
      DotGraph::NodeDraft draft;
      draft.name = name;
      draft.node.type = name.starts_with('H') ? NodeType::kCa : NodeType::kSwitch;
      draft.node.description = name;
      graph_.nodes.push_back(std::move(draft));
    }
    return at->second;
  }

  void warn(std::string_view what) {
    warnings_.add(fmt::format("{}:{}: {}", lines_.path(), line_, what));
  }

  /// A numeric attribute; 0 if it is missing or not a number up to `most`.
  std::uint64_t number(std::span<const DotAttribute> attributes, std::string_view name,
                       std::uint64_t most) {
    const std::string_view text = find_attribute(attributes, name);
    if (text.empty()) return 0;
    const auto value = parse_c_number<std::uint64_t>(text);
    if (value && *value <= most) return *value;
    warn(fmt::format("{}: found {}, expected a number up to {}: ignored", name,
                     quote_net_text(text), most));
    return 0;
  }

  Status take_node(const std::string& name, std::span<const DotAttribute> attributes) {
    DotGraph::NodeDraft& draft = graph_.nodes[node_of(name)];
    Node& node = draft.node;
    if (const auto label = find_attribute(attributes, "label"); label.data() != nullptr)
      node.description = shown_label(label, name).substr(0, 1024);
    if (find_attribute(attributes, "kind") == "router" && node.type == NodeType::kCa)
      node.type = NodeType::kRouter;
    draft.port_count_given = static_cast<std::uint8_t>(number(attributes, "ports", kPortMax));
    take_codes_node(find_attribute(attributes, "comment"), draft);
    node.system_guid = Guid(number(attributes, "system", ~std::uint64_t{0}));
    node.vendor_id = static_cast<std::uint32_t>(number(attributes, "vendor", 0xFFFFFF));
    node.device_id = static_cast<std::uint16_t>(number(attributes, "device", 0xFFFF));
    node.enhanced_port0 = number(attributes, "enhanced_port0", 1) == 1;
    draft.lid = lid(attributes);
    draft.port_guid = Guid(number(attributes, "portguid", ~std::uint64_t{0}));
    return {};
  }

  LidRange lid(std::span<const DotAttribute> attributes) {
    return {Lid(static_cast<std::uint16_t>(number(attributes, "lid", kLidUnicastLast.value()))),
            static_cast<std::uint8_t>(number(attributes, "lmc", kLmcMax))};
  }

  Status take_edge(const DotEnd& tail, const DotEnd& head,
                   std::span<const DotAttribute> attributes) {
    DotGraph::Edge edge;
    edge.tail = node_of(tail.node);
    edge.head = node_of(head.node);
    edge.tail_port = parse_port(tail.port);
    edge.head_port = parse_port(head.port);
    if (edge.tail_port == 0) edge.tail_port = parse_port(find_attribute(attributes, "taillabel"));
    if (edge.head_port == 0) edge.head_port = parse_port(find_attribute(attributes, "headlabel"));
    take_codes_ports(find_attribute(attributes, "comment"), edge);
    edge.line = static_cast<std::uint32_t>(line_);
    read_rate(find_attribute(attributes, "rate"), edge.spec);
    if (const std::uint64_t guid = number(attributes, "portguid", ~std::uint64_t{0}))
      edge.spec.guid = Guid(guid);
    if (const LidRange range = lid(attributes); range.base != kLidNone) edge.spec.lid = range;
    graph_.edges.push_back(edge);
    return {};
  }

  void read_rate(std::string_view rate, FabricBuilder::PortSpec& spec) {
    if (rate.empty()) return;
    const std::size_t x = rate.find('x');
    if (x != std::string_view::npos) {
      spec.width = parse_link_width(rate.substr(0, x + 1));
      spec.speed = parse_link_speed(rate.substr(x + 1));
    }
    if (!spec.width || !spec.speed)
      warn(
          fmt::format("rate: found {}, expected one such as 4xHDR: ignored", quote_net_text(rate)));
  }

  /// Pairs the two edges of each cable: first edges that state the same two ports, then the other
  /// edges between the same nodes in file order.
  void pair_edges() {
    std::vector<DotGraph::Edge>& edges = graph_.edges;
    struct Half {
      std::uint32_t low, high;           // end nodes of the cable
      std::uint8_t low_port, high_port;  // if both are given
      bool falls;                        // the edge goes from high to low
      std::uint32_t edge;
    };
    std::vector<Half> halves;
    const auto collect = [&](bool with_ports) {
      halves.clear();
      for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const DotGraph::Edge& e = edges[i];
        if (e.back != kNoEdge) continue;
        const bool both = with_ports && e.tail_port != 0 && e.head_port != 0;
        if (with_ports && !both) continue;
        const bool falls =
            std::pair(e.tail, both ? e.tail_port : 0) > std::pair(e.head, both ? e.head_port : 0);
        Half half{std::min(e.tail, e.head), std::max(e.tail, e.head), 0, 0, falls, i};
        if (both) half.low_port = falls ? e.head_port : e.tail_port;
        if (both) half.high_port = falls ? e.tail_port : e.head_port;
        halves.push_back(half);
      }
      std::ranges::stable_sort(halves, {}, [](const Half& h) {
        return std::tuple(h.low, h.high, h.low_port, h.high_port);
      });
    };
    const auto pair_up = [&] {
      std::vector<std::uint32_t> rising;
      std::vector<std::uint32_t> falling;
      for (std::size_t i = 0; i < halves.size();) {
        rising.clear();
        falling.clear();
        std::size_t end = i;
        const auto key = [&](std::size_t at) {
          const Half& h = halves[at];
          return std::tuple(h.low, h.high, h.low_port, h.high_port);
        };
        for (; end < halves.size() && key(end) == key(i); ++end)
          (halves[end].falls ? falling : rising).push_back(halves[end].edge);
        if (halves[i].low == halves[i].high && falling.empty()) {  // a loopback cable without ports
          for (std::size_t k = 1; k < rising.size(); k += 2) join(rising[k - 1], rising[k]);
        }
        for (std::size_t k = 0; k < std::min(rising.size(), falling.size()); ++k)
          join(rising[k], falling[k]);
        i = end;
      }
    };
    collect(true);
    pair_up();
    collect(false);
    pair_up();
  }

  void join(std::uint32_t a, std::uint32_t b) {
    graph_.edges[a].back = b;
    graph_.edges[b].back = a;
  }

  std::string quoted(const DotGraph::Edge& edge) const {
    return fmt::format("\"{}\" to \"{}\"", graph_.nodes[edge.tail].name,
                       graph_.nodes[edge.head].name);
  }

  /// Assigns the same ports to both edges of a cable: the ports that one of the edges states, else
  /// the lowest free ports.
  Status settle_ports() {
    std::vector<DotGraph::Edge>& edges = graph_.edges;
    for (DotGraph::Edge& e : edges) {
      if (e.back == kNoEdge) continue;
      DotGraph::Edge& back = edges[e.back];
      if ((e.tail_port != 0 && back.head_port != 0 && e.tail_port != back.head_port) ||
          (e.head_port != 0 && back.tail_port != 0 && e.head_port != back.tail_port))
        return fail(Code::kBadInput,
                    "{}:{}: edge {} has ports {} and {}, the reverse edge in line {} ports {} and "
                    "{}",
                    lines_.path(), e.line, quoted(e), e.tail_port, e.head_port, back.line,
                    back.head_port, back.tail_port);
      if (e.tail_port == 0) e.tail_port = back.head_port;
      if (e.head_port == 0) e.head_port = back.tail_port;
    }
    warn_of_one_way_edges();
    std::vector<std::vector<bool>> taken(graph_.nodes.size());
    const auto take = [&](std::uint32_t node, std::uint8_t port) {
      std::vector<bool>& ports = taken[node];
      if (ports.size() <= port) ports.resize(port + 1u);
      const bool free = !ports[port];
      ports[port] = true;
      return free;
    };
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      const DotGraph::Edge& e = edges[i];
      if (e.back < i) continue;
      const bool tail_free = e.tail_port == 0 || take(e.tail, e.tail_port);
      if (tail_free && (e.head_port == 0 || take(e.head, e.head_port))) continue;
      return fail(Code::kBadInput, "{}:{}: edge {}: port {} of \"{}\" has another cable already",
                  lines_.path(), e.line, quoted(e), tail_free ? e.head_port : e.tail_port,
                  graph_.nodes[tail_free ? e.head : e.tail].name);
    }
    std::vector<std::uint8_t> next(graph_.nodes.size(), 1);
    const auto assign = [&](std::uint32_t node, std::uint8_t& port) {
      while (port == 0 && next[node] <= kPortMax) {
        if (take(node, next[node])) port = next[node];
        ++next[node];
      }
      return port != 0;
    };
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      DotGraph::Edge& e = edges[i];
      if (e.back < i) continue;
      if (!assign(e.tail, e.tail_port) || !assign(e.head, e.head_port))
        return fail(Code::kBadInput, "{}:{}: edge {}: an end has more than {} cables",
                    lines_.path(), e.line, quoted(e), kPortMax);
      if (e.back == kNoEdge) continue;
      edges[e.back].tail_port = e.head_port;
      edges[e.back].head_port = e.tail_port;
    }
    for (std::uint32_t n = 0; n < taken.size(); ++n)
      graph_.nodes[n].node.port_count = std::max(
          {graph_.nodes[n].port_count_given,
           static_cast<std::uint8_t>(taken[n].empty() ? 1 : taken[n].size() - 1), std::uint8_t{1}});
    return {};
  }

  void warn_of_one_way_edges() {
    const auto one_way = [](const DotGraph::Edge& e) { return e.back == kNoEdge; };
    const auto count = std::ranges::count_if(graph_.edges, one_way);
    if (count == 0 || !directed_) return;
    if (static_cast<std::size_t>(count) == graph_.edges.size()) {
      warnings_.add(
          fmt::format("{}: no edge has a reverse edge: each is read as one cable", lines_.path()));
      return;
    }
    for (const DotGraph::Edge& e : graph_.edges)
      if (one_way(e))
        warnings_.add(fmt::format("{}:{}: edge {}: no reverse edge: read as one cable",
                                  lines_.path(), e.line, quoted(e)));
  }

  Status name_nodes() {
    GuidGenerator guids;
    for (DotGraph::NodeDraft& draft : graph_.nodes) {
      auto guid = guid_in_dot_name(draft.name);
      if (!guid && draft.node.node_guid != Guid{}) guid = draft.node.node_guid;
      if (!guid) continue;
      if (!guids.take(*guid))
        return fail(Code::kBadInput, "{}: two nodes have GUID 0x{:016x}, one is \"{}\"",
                    lines_.path(), guid->value(), draft.name);
      draft.node.node_guid = *guid;
    }
    for (DotGraph::NodeDraft& draft : graph_.nodes)
      if (draft.node.node_guid == Guid{})
        draft.node.node_guid = guids.next(draft.node.type, draft.node.port_count);
    return {};
  }

  LineReader& lines_;
  Warnings& warnings_;
  DotGraph graph_;
  bool directed_ = false;
  std::size_t line_ = 0;  // first line of the current statement
  std::unordered_map<std::string, std::uint32_t> nodes_;
};

}  // namespace

Result<DotGraph> read_dot_graph(LineReader& lines, Warnings& warnings) {
  return GraphReader(lines, warnings).read();
}

Status read_dot(LineReader& lines, const ReadOptions&, FabricBuilder& builder, Warnings& warnings) {
  const auto graph = read_dot_graph(lines, warnings);
  if (!graph) return forward(graph);
  for (const DotGraph::NodeDraft& draft : graph->nodes) {
    const auto index = builder.add_node(draft.node);
    if (draft.node.type != NodeType::kSwitch) continue;
    FabricBuilder::PortSpec port0;
    if (draft.lid.base != kLidNone) port0.lid = draft.lid;
    if (draft.port_guid != Guid{}) port0.guid = draft.port_guid;
    if (auto status = builder.describe_port(index, PortNum(0), port0); !status) return status;
  }
  for (std::uint32_t i = 0; i < graph->edges.size(); ++i) {
    const DotGraph::Edge& e = graph->edges[i];
    FabricBuilder::PortSpec spec = e.spec;
    if (graph->nodes[e.tail].node.type == NodeType::kSwitch)
      spec.guid = std::nullopt, spec.lid = std::nullopt;
    if (auto status = builder.describe_port(e.tail, PortNum(e.tail_port), spec); !status)
      return status;
    if (e.back < i) continue;
    const auto connected =
        builder.connect(e.tail, PortNum(e.tail_port), e.head, PortNum(e.head_port));
    if (!connected)
      return fail(Code::kBadInput, "{}:{}: {}", lines.path(), e.line, connected.error().message);
  }
  return {};
}

}  // namespace weft
