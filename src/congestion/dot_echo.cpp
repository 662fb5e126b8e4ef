// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/dot_echo.h"

namespace weft {
namespace {

std::string quoted_dot(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

std::string attribute_list(std::span<const DotAttribute> attributes) {
  std::string text;
  for (const DotAttribute& attribute : attributes) {
    if (DotEcho::is_metric_attribute(attribute.name)) continue;
    if (!text.empty()) text += ", ";
    text += quoted_dot(attribute.name) + "=" + quoted_dot(attribute.value);
  }
  return text;
}

std::string end_text(const DotEnd& end) {
  return end.port.empty() ? quoted_dot(end.node)
                          : quoted_dot(end.node) + ":" + quoted_dot(end.port);
}

}  // namespace

void DotEcho::add_node(const std::string& name, std::span<const DotAttribute> attributes) {
  nodes_.push_back(fmt::format("\t{} [{}];\n", quoted_dot(name), attribute_list(attributes)));
}

void DotEcho::add_edge(const DotEnd& tail, const DotEnd& head,
                       std::span<const DotAttribute> attributes) {
  const std::string list = attribute_list(attributes);
  edges_.push_back(fmt::format("\t{} -> {} [{}{}", end_text(tail), end_text(head), list,
                               list.empty() ? "" : ", "));
}

void DotEcho::write(const std::function<std::string(std::uint32_t channel)>& more,
                    const Append& append) const {
  append("digraph network {\n");
  for (const std::string& node : nodes_) append(node);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    append(edges_[i]);
    append(more(channels_[i]) + "];\n");
  }
  append("}\n");
}

}  // namespace weft
