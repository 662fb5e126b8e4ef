// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "fabric/formats/dot/dot.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/dot.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoNode = 0xFFFFFFFF;

/// Removes the next word from `text` and returns it. Blanks, commas, tabs and newlines separate
/// words.
std::string_view take_word(std::string_view& text) {
  constexpr std::string_view kBetween = ", \t\n\r";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBetween)));
  const std::string_view word = text.substr(0, text.find_first_of(kBetween));
  text.remove_prefix(word.size());
  return word;
}

class RouteReader {
 public:
  RouteReader(const Fabric& fabric, const DotGraph& graph, Warnings& warnings)
      : fabric_(fabric),
        graph_(graph),
        warnings_(warnings),
        lfts_(fabric.switch_count(), top(fabric)) {}

  Status read(LineReader& lines) {
    match_nodes(lines);
    const auto ignore = [](std::size_t, const std::string&,
                           std::span<const DotAttribute>) -> Status { return {}; };
    const auto take = [&](std::size_t line, const DotEnd&, const DotEnd&,
                          std::span<const DotAttribute> attributes) -> Status {
      take_edge(fmt::format("{}:{}", lines.path(), line), graph_.edges[edge_++],
                find_attribute(attributes, "comment"));
      return {};
    };
    const auto parsed = parse_dot(lines, {ignore, take});
    if (!parsed) return forward(parsed);
    if (!any_)
      return fail(Code::kBadInput,
                  "{}: no edge has a comment that lists hosts of the fabric: the graph holds no "
                  "routes",
                  lines.path());
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      set(SwitchId(s), Fabric::endport_of(SwitchId(s)), PortNum(0));
    return {};
  }

  Lfts take() { return std::move(lfts_); }

 private:
  static Lid top(const Fabric& fabric) { return fabric.lid_top(); }

  void match_nodes(const LineReader& lines) {
    std::unordered_map<std::string_view, std::uint32_t> by_description;
    for (std::uint32_t i = 0; i < fabric_.node_count(); ++i) {
      const auto [at, added] = by_description.try_emplace(fabric_.node(NodeId(i)).description, i);
      if (!added) at->second = kNoNode;
    }
    node_of_.assign(graph_.nodes.size(), kNoNode);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const DotGraph::NodeDraft& draft = graph_.nodes[i];
      const bool is_switch = draft.node.type == NodeType::kSwitch;
      if (const auto node = fabric_.find_node(draft.node.node_guid);
          node && fabric_.is_switch(*node) == is_switch) {
        node_of_[i] = node->value();
      } else if (const auto named = by_description.find(draft.node.description);
                 named != by_description.end() && named->second != kNoNode &&
                 fabric_.is_switch(NodeId(named->second)) == is_switch) {
        node_of_[i] = named->second;
      } else {
        warnings_.add(fmt::format("{}: \"{}\" is no {} of the fabric: left out", lines.path(),
                                  draft.name, is_switch ? "switch" : "CA or router"));
        continue;
      }
      name_endports(draft.name, NodeId(node_of_[i]));
    }
  }

  void name_endports(const std::string& name, NodeId node) {
    bool first = true;
    for (const Port& port : fabric_.ports(node)) {
      const PortId id = fabric_.port_id(node, port.num);
      const EndportId endport = fabric_.endport_at(id);
      if (endport == kNoEndport) continue;
      if (first) endport_of_.try_emplace(name, endport);
      endport_of_.try_emplace(fmt::format("{}:{}", name, port.num.value()), endport);
      first = false;
    }
  }

  void take_edge(const std::string& where, const DotGraph::Edge& edge, std::string_view comment) {
    const std::uint32_t tail = node_of_[edge.tail];
    if (tail == kNoNode || !fabric_.is_switch(NodeId(tail))) return;
    const SwitchId sw(tail);
    const PortNum port(edge.tail_port);
    if (!is_cable(edge)) {
      warnings_.add(fmt::format(
          "{}: edge \"{}\" to \"{}\", ports {} and {}: no cable of the fabric: left out", where,
          graph_.nodes[edge.tail].name, graph_.nodes[edge.head].name, edge.tail_port,
          edge.head_port));
      return;
    }
    for (auto word = take_word(comment); !word.empty(); word = take_word(comment)) {
      if (word == "*") {
        set_all_hosts(sw, port);
        continue;
      }
      const auto known = endport_of_.find(std::string(word));
      if (known != endport_of_.end()) {
        set(sw, known->second, port);
        any_ = true;
      } else if (warned_.size() < Warnings::kMax && warned_.emplace(word).second) {
        warnings_.add(fmt::format("{}: destination {} is no endport of the fabric: left out", where,
                                  quote_net_text(word)));
      }
    }
  }

  bool is_cable(const DotGraph::Edge& edge) const {
    if (node_of_[edge.head] == kNoNode) return false;
    const PortId from = fabric_.port_id(NodeId(node_of_[edge.tail]), PortNum(edge.tail_port));
    if (from == kNoPort || fabric_.port(from).peer == kNoPort) return false;
    const Port& to = fabric_.port(fabric_.port(from).peer);
    return to.node == NodeId(node_of_[edge.head]) && to.num == PortNum(edge.head_port);
  }

  void set_all_hosts(SwitchId sw, PortNum port) {
    any_ = true;
    for (std::uint32_t i = fabric_.switch_count(); i < fabric_.endport_count(); ++i)
      set(sw, EndportId(i), port);
  }

  /// Sets the entry for a destination unless an earlier edge has set it.
  void set(SwitchId sw, EndportId id, PortNum port) {
    const Endport& endport = fabric_.endport(id);
    if (endport.lid == kLidNone || lfts_.port(sw, endport.lid) != kNoRoute) return;
    for (unsigned i = 0; i < 1u << endport.lmc; ++i)
      lfts_.set(sw, Lid(static_cast<std::uint16_t>(endport.lid.value() + i)), port);
  }

  const Fabric& fabric_;
  const DotGraph& graph_;
  Warnings& warnings_;
  Lfts lfts_;
  std::vector<std::uint32_t> node_of_;  // by node of the graph
  std::unordered_map<std::string, EndportId> endport_of_;
  std::unordered_set<std::string> warned_;
  std::size_t edge_ = 0;
  bool any_ = false;
};

}  // namespace

Result<Lfts> read_dot_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  Warnings ignored;
  const auto graph = read_dot_graph(*lines, ignored);
  if (!graph) return forward(graph);
  if (auto status = lines->rewind(); !status) return forward(status);
  RouteReader reader(fabric, *graph, warnings);
  if (auto status = reader.read(*lines); !status) return forward(status);
  return reader.take();
}

}  // namespace weft
