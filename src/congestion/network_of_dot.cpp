// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lists may name hosts that the file declares later, so names are stored as numbers until the end
// of the file.
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "congestion/dot_echo.h"
#include "congestion/network_builder.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoNode = RoutedNetwork::kNone;
constexpr std::uint32_t kAllHosts = 0xFFFFFFFE;
constexpr std::string_view kBetween = ", \t\n\r";

/// The GUID in "H0002c903000e0b72" or "S-0002c903000e0b72": any hexadecimal number after the
/// letter.
Guid guid_in(std::string_view name) {
  if (!name.empty()) name.remove_prefix(1);
  if (name.starts_with('-')) name.remove_prefix(1);
  if (name.starts_with("0x")) name.remove_prefix(2);
  return Guid(parse_number<std::uint64_t>(name, 16).value_or(0));
}

std::uint8_t parse_port(std::string_view text) {
  const auto port = parse_number<std::uint8_t>(text);
  return port && *port != 0xFF ? *port : std::uint8_t{0};
}

std::uint32_t parse_rate(std::string_view text) {
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) return 0;
  const auto width = parse_link_width(text.substr(0, x + 1));
  const auto speed = parse_link_speed(text.substr(x + 1));
  return width && speed ? data_rate_100mbit(*width, *speed) : 0;
}

class RoutedDotReader {
 public:
  RoutedDotReader(LineReader& lines, Warnings& warnings, DotEcho* echo)
      : lines_(lines), warnings_(warnings), echo_(echo) {}

  Result<RoutedNetwork> read() {
    const DotSink sink{
        [this](std::size_t, const std::string& name, std::span<const DotAttribute> attributes) {
          return take_node(name, attributes);
        },
        [this](std::size_t line, const DotEnd& tail, const DotEnd& head,
               std::span<const DotAttribute> attributes) {
          return take_edge(line, tail, head, attributes);
        }};
    const auto directed = parse_dot(lines_, sink);
    if (!directed) return forward(directed);
    if (!*directed)
      return fail(Code::kBadInput, "{}: found a graph, expected a digraph: routes have directions",
                  lines_.path());
    if (builder_.node_count() == 0)
      return fail(Code::kBadInput, "{}: the graph has no node", lines_.path());
    if (!any_list_)
      return fail(Code::kBadInput,
                  "{}: no edge has a comment that lists destinations: the graph holds no routes",
                  lines_.path());
    choose_rows();
    if (auto status = builder_.lay_out(lines_.path(), 1); !status) return forward(status);
    set_routes();
    if (echo_ != nullptr) {
      std::vector<std::uint32_t> channels;
      for (std::uint32_t e = 0; e < edges_.size(); ++e) channels.push_back(builder_.channel_of(e));
      echo_->set_channels(std::move(channels));
    }
    return builder_.take();
  }

 private:
  struct Edge {
    std::uint32_t tail;
    std::uint32_t list_end;  // in words_; the list begins at the end of the previous edge's list
  };

  std::uint32_t word_of(std::string_view word) {
    const auto known = words_by_name_.find(std::string(word));
    if (known != words_by_name_.end()) return known->second;
    const auto id = static_cast<std::uint32_t>(node_of_word_.size());
    words_by_name_.emplace(word, id);
    node_of_word_.push_back(kNoNode);
    return id;
  }

  std::uint32_t node_of(const std::string& name) {
    const std::uint32_t word = word_of(name);
    if (node_of_word_[word] == kNoNode)
      node_of_word_[word] = builder_.add_node({name, {}, guid_in(name)}, name.starts_with('H'));
    return node_of_word_[word];
  }

  Status take_node(const std::string& name, std::span<const DotAttribute> attributes) {
    node_of(name);
    if (echo_ != nullptr) echo_->add_node(name, attributes);
    return {};
  }

  Status take_edge(std::size_t line, const DotEnd& tail, const DotEnd& head,
                   std::span<const DotAttribute> attributes) {
    const std::uint32_t from = node_of(tail.node);
    const std::uint32_t to = node_of(head.node);
    std::uint8_t tail_port = parse_port(tail.port);
    std::uint8_t head_port = parse_port(head.port);
    if (tail_port == 0) tail_port = parse_port(find_attribute(attributes, "taillabel"));
    if (head_port == 0) head_port = parse_port(find_attribute(attributes, "headlabel"));
    builder_.add_edge(from, to, parse_rate(find_attribute(attributes, "rate")), tail_port,
                      head_port);
    std::string_view list = find_attribute(attributes, "comment");
    while (true) {
      list.remove_prefix(std::min(list.size(), list.find_first_not_of(kBetween)));
      const std::string_view word = list.substr(0, list.find_first_of(kBetween));
      if (word.empty()) break;
      list.remove_prefix(word.size());
      words_.push_back(word == "*" ? kAllHosts : word_of(word));
      any_list_ = true;
    }
    if (words_.size() >= kNoNode || edges_.size() >= kNoNode - 1)
      return fail(Code::kBadInput,
                  "{}:{}: found {} edges and {} destinations in lists, expected less than {} each",
                  lines_.path(), line, edges_.size() + 1, words_.size(), kNoNode);
    edges_.push_back({from, static_cast<std::uint32_t>(words_.size())});
    if (echo_ != nullptr) echo_->add_edge(tail, head, attributes);
    return {};
  }

  template <class Take>
  void for_each_list(const Take& take) const {
    std::uint32_t begin = 0;
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      take(e, std::span(words_).subspan(begin, edges_[e].list_end - begin));
      begin = edges_[e].list_end;
    }
  }

  /// A host needs a row unless the first of its edges with a list contains all destinations.
  void choose_rows() {
    only_.assign(builder_.node_count(), kNoNode);
    for_each_list([&](std::uint32_t e, std::span<const std::uint32_t> list) {
      const std::uint32_t tail = edges_[e].tail;
      if (!builder_.is_host(tail) || only_[tail] != kNoNode || list.empty()) return;
      only_[tail] = e;
      if (std::ranges::find(list, kAllHosts) == list.end()) builder_.add_row(tail);
    });
  }

  void set_routes() {
    for_each_list([&](std::uint32_t e, std::span<const std::uint32_t> list) {
      const std::uint32_t tail = edges_[e].tail;
      if (builder_.is_host(tail) && !builder_.has_row(tail)) {
        if (only_[tail] == e) builder_.set_only(tail, e);
        return;
      }
      for (const std::uint32_t word : list) {
        const std::uint32_t node = word == kAllHosts ? kNoNode : node_of_word_[word];
        if (word == kAllHosts)
          builder_.set_next_to_all(tail, e);
        else if (node != kNoNode && builder_.is_host(node))
          builder_.set_next(tail, node, e);
      }
    });
    warn_of_unknown_names();
  }

  /// Graphs written by Weft also list switches and further ports of hosts; these names cause no
  /// warning.
  void warn_of_unknown_names() {
    std::size_t count = 0;
    const std::string* first = nullptr;
    for (const auto& [name, word] : words_by_name_) {
      if (node_of_word_[word] != kNoNode) continue;
      const auto host = words_by_name_.find(name.substr(0, name.find(':')));
      if (host != words_by_name_.end() && node_of_word_[host->second] != kNoNode) continue;
      ++count;
      if (first == nullptr || word < words_by_name_.at(*first)) first = &name;
    }
    if (count > 0)
      warnings_.add(
          fmt::format("{}: comments list {} destination{} that are no nodes of the graph,"
                      " the first is {}: left out",
                      lines_.path(), count, count == 1 ? "" : "s", quoted(*first)));
  }

  LineReader& lines_;
  Warnings& warnings_;
  DotEcho* echo_;
  NetworkBuilder builder_;
  std::unordered_map<std::string, std::uint32_t> words_by_name_;
  std::vector<std::uint32_t> node_of_word_;
  std::vector<std::uint32_t> words_;  // the lists of all edges, concatenated
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> only_;  // by node: the first edge with a list
  bool any_list_ = false;
};

}  // namespace

Result<RoutedNetwork> read_routed_dot(LineReader& lines, Warnings& warnings, DotEcho* echo) {
  return RoutedDotReader(lines, warnings, echo).read();
}

}  // namespace weft
