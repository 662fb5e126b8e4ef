// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <expat.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "base/text.h"
#include "fabric/formats/graphml_elements.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

constexpr std::size_t kGraphmlTextMax = 4'096;  // bytes of a value that is used

std::string_view attribute(const XML_Char** attributes, std::string_view name) {
  for (; attributes[0] != nullptr; attributes += 2)
    if (attributes[0] == name) return attributes[1];
  return {};
}

/// The part of a name after the prefix of its name space.
std::string_view local_name(std::string_view name) { return name.substr(name.rfind(':') + 1); }

/// Receives the events of expat and builds the graph. An error stops the parser.
class GraphmlParser {
 public:
  explicit GraphmlParser(LineReader& lines)
      : lines_(lines), parser_(XML_ParserCreate("UTF-8"), &XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<GraphmlParser*>(self)->begin(local_name(name), attributes);
        },
        [](void* self, const XML_Char* name) {
          static_cast<GraphmlParser*>(self)->end(local_name(name));
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const XML_Char* text, int size) {
      static_cast<GraphmlParser*>(self)->text({text, static_cast<std::size_t>(size)});
    });
    XML_SetEntityDeclHandler(
        parser_.get(), [](void* self, const XML_Char* name, int, const XML_Char*, int,
                          const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*) {
          static_cast<GraphmlParser*>(self)->wrong(
              fmt::format("declares the entity {}, expected none", quote_net_text(name)));
        });
  }

  Result<GraphmlGraph> parse() {
    std::string_view line;
    std::string text;
    while (true) {
      auto more = lines_.next(line);
      if (!more) return forward(more);
      text.assign(line).push_back('\n');
      const bool good =
          XML_Parse(parser_.get(), *more ? text.data() : "",
                    *more ? static_cast<int>(text.size()) : 0, *more ? 0 : 1) == XML_STATUS_OK;
      if (error_) return tl::unexpected(std::move(*error_));
      if (!good) {
        wrong(XML_ErrorString(XML_GetErrorCode(parser_.get())));
        return tl::unexpected(std::move(*error_));
      }
      if (!*more) break;
    }
    return finish();
  }

 private:
  enum class Value { kIgnored, kNode, kEdge };

  std::size_t line() const { return XML_GetCurrentLineNumber(parser_.get()); }

  void wrong(std::string_view what) {
    if (error_) return;
    error_ =
        Error{Code::kBadInput, fmt::format("{}:{}:{}: {}", lines_.path(), line(),
                                           XML_GetCurrentColumnNumber(parser_.get()) + 1, what)};
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void begin(std::string_view name, const XML_Char** attributes) {
    if (error_) return;
    if (depth_++ == 0 && name != "graphml")
      return wrong(fmt::format("found the element {}, expected graphml", quote_net_text(name)));
    if (name == "key") return begin_key(attributes);
    if (name == "graph") return begin_graph(attributes);
    if (name == "node") return begin_node(attributes);
    if (name == "edge") return begin_edge(attributes);
    if (name == "data") return begin_data(attributes);
    if (name == "hyperedge") return wrong("found a hyperedge: a cable has two ends");
  }

  void begin_key(const XML_Char** attributes) {
    const std::string_view id = attribute(attributes, "id");
    if (id.empty()) return wrong("the key has no id");
    std::string_view name = attribute(attributes, "attr.name");
    keys_.insert_or_assign(std::string(id), std::string(name.empty() ? id : name));
  }

  void begin_graph(const XML_Char** attributes) {
    if (node_)
      return wrong(fmt::format("node {} contains a graph: nested graphs are not supported",
                               quoted(graph_.nodes[*node_].id)));
    if (graphs_++ > 0) return wrong("found a second graph, expected one");
    const std::string_view direction = attribute(attributes, "edgedefault");
    if (direction != "directed" && direction != "undirected")
      return wrong(fmt::format("edgedefault: found {}, expected directed or undirected",
                               quote_value(direction)));
    graph_.directed = direction == "directed";
  }

  void begin_node(const XML_Char** attributes) {
    const std::string_view id = attribute(attributes, "id");
    if (id.empty()) return wrong("the node has no id");
    GraphmlNode& node = graph_.nodes[index_of(id)];
    if (node.line != 0)
      return wrong(fmt::format("node {} is defined in line {} already", quoted(id), node.line));
    node.line = line();
    node_ = index_of(id);
  }

  void begin_edge(const XML_Char** attributes) {
    const std::string_view source = attribute(attributes, "source");
    const std::string_view target = attribute(attributes, "target");
    if (source.empty() || target.empty()) return wrong("the edge has no source or no target");
    GraphmlEdge edge;
    edge.source = index_of(source);
    edge.target = index_of(target);
    edge.line = line();
    graph_.edges.push_back(edge);
    in_edge_ = true;
  }

  void begin_data(const XML_Char** attributes) {
    const auto key = keys_.find(std::string(attribute(attributes, "key")));
    if (key == keys_.end())
      return wrong(
          fmt::format("data: no key has the id {}", quote_value(attribute(attributes, "key"))));
    name_ = key->second;
    value_.clear();
    reading_ = node_ ? Value::kNode : in_edge_ ? Value::kEdge : Value::kIgnored;
  }

  void text(std::string_view part) {
    if (error_ || reading_ == Value::kIgnored || value_.size() > kGraphmlTextMax) return;
    value_.append(part.substr(0, kGraphmlTextMax + 1));
  }

  void end(std::string_view name) {
    if (error_) return;
    --depth_;
    if (name == "node") node_.reset();
    if (name == "edge") in_edge_ = false;
    if (name != "data") return;
    if (reading_ == Value::kNode) take(graph_.nodes[*node_]);
    if (reading_ == Value::kEdge) take(graph_.edges.back());
    reading_ = Value::kIgnored;
  }

  void take(GraphmlNode& node) {
    const std::string what = fmt::format("node {}", quoted(node.id));
    if (name_ == "type") node.type = value_;
    if (name_ == "label") node.label = value_;
    if (name_ == "guid") take_guid(what, node.guid);
    if (name_ == "system_guid") take_guid(what, node.system_guid);
    if (name_ == "ports") take_number(what, kPortMax, node.ports);
    if (name_ == "endpoints") take_number(what, kPortMax, node.endpoints);
    if (name_ == "lid") take_number(what, kLidUnicastLast.value(), node.lid);
    if (name_ == "lmc") take_number(what, kLmcMax, node.lmc);
  }

  void take(GraphmlEdge& edge) {
    const std::string what = fmt::format("edge {} to {}", quoted(graph_.nodes[edge.source].id),
                                         quoted(graph_.nodes[edge.target].id));
    if (name_ == "src_port") take_number(what, kPortMax, edge.src_port);
    if (name_ == "dst_port") take_number(what, kPortMax, edge.dst_port);
    if (name_ == "src_lid") take_number(what, kLidUnicastLast.value(), edge.src_lid);
    if (name_ == "dst_lid") take_number(what, kLidUnicastLast.value(), edge.dst_lid);
    const std::string_view value = trim(value_);
    if (name_ == "width" && !(edge.width = parse_link_width(value)))
      wrong(fmt::format("{}: width: found {}, expected one such as 4x", what, quoted(value)));
    if (name_ == "speed" && !(edge.speed = parse_link_speed(value)))
      wrong(fmt::format("{}: speed: found {}, expected one such as HDR", what, quoted(value)));
    if (name_ == "rate") take_rate(what, edge);
  }

  void take_number(const std::string& what, unsigned most, std::optional<unsigned>& place) {
    const auto number = parse_number<unsigned>(trim(value_));
    if (!number || *number > most)
      return wrong(
          fmt::format("{}: {}: found {}, expected 0 to {}", what, name_, quoted(value_), most));
    place = *number;
  }

  void take_guid(const std::string& what, std::optional<Guid>& place) {
    std::string_view digits = trim(value_);
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    const auto number = parse_number<std::uint64_t>(digits, 16);
    if (!number || *number == 0)
      return wrong(fmt::format("{}: {}: found {}, expected hexadecimal digits other than 0", what,
                               name_, quoted(value_)));
    place = Guid(*number);
  }

  void take_rate(const std::string& what, GraphmlEdge& edge) {
    const std::string_view text = trim(value_);
    double rate = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(rate) ||
        rate <= 0)
      return wrong(fmt::format("{}: rate: found {}, expected a positive number of Gbit/s", what,
                               quoted(value_)));
    edge.gbps = rate;
  }

  static std::string quoted(std::string_view text) { return quote_value(text); }

  std::uint32_t index_of(std::string_view id) {
    const auto next = static_cast<std::uint32_t>(graph_.nodes.size());
    const auto [at, fresh] = index_.try_emplace(std::string(id), next);
    if (fresh) {
      graph_.nodes.emplace_back().id = id;
      graph_.nodes.back().named_at = line();
    }
    return at->second;
  }

  Result<GraphmlGraph> finish() {
    if (graph_.nodes.empty())
      return fail(Code::kBadInput, "{}: the graph has no node", lines_.path());
    for (const GraphmlNode& node : graph_.nodes)
      if (node.line == 0)
        return fail(Code::kBadInput, "{}:{}: the edge ends at {}, which is not a node of the graph",
                    lines_.path(), node.named_at, quoted(node.id));
    return std::move(graph_);
  }

  LineReader& lines_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::optional<Error> error_;
  GraphmlGraph graph_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::unordered_map<std::string, std::string> keys_;  // names of attributes by id
  std::size_t depth_ = 0;
  unsigned graphs_ = 0;
  std::optional<std::uint32_t> node_;  // index of the open node element
  bool in_edge_ = false;
  Value reading_ = Value::kIgnored;
  std::string name_, value_;  // of the open data element
};

}  // namespace

Result<GraphmlGraph> parse_graphml(LineReader& lines) { return GraphmlParser(lines).parse(); }

}  // namespace weft
