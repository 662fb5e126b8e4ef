// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/port_list.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoEnd = 0xFFFFFFFF;

struct ListEnd {
  NodeType type{};
  std::uint16_t lid = 0;
  std::uint8_t port = 0;
  std::uint64_t guid = 0;  // GUID of a switch's node, or of another node's port
  std::string_view name;
};

struct ListLine {
  ListEnd near;
  std::optional<ListEnd> far;
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
};

std::optional<NodeType> node_type(std::string_view word) {
  if (word == "CA") return NodeType::kCa;
  if (word == "SW") return NodeType::kSwitch;
  if (word == "RT" || word == "RTR") return NodeType::kRouter;
  return std::nullopt;
}

/// Takes a word from the front of a text.
std::string_view take_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

bool begins_list_line(std::string_view line) {
  std::string_view rest = line;
  return node_type(take_word(rest)) && parse_number<unsigned>(take_word(rest));
}

/// An error at `word` in `line`: value found and value expected.
tl::unexpected<LineError> wanted(std::string_view line, std::string_view word,
                                 std::string_view what) {
  return tl::unexpected<LineError>(
      LineError{static_cast<std::size_t>(word.data() - line.data()) + 1,
                fmt::format("found {}, expected {}", quote_net_text(word), what)});
}

LineResult<ListEnd> take_end(std::string_view line, std::string_view& rest) {
  ListEnd end;
  std::string_view word = take_word(rest);
  const auto type = node_type(word);
  if (!type) return wanted(line, word, "CA, SW or RT");
  end.type = *type;
  word = take_word(rest);
  const auto lid = parse_number<std::uint16_t>(word);
  if (!lid) return wanted(line, word, "a LID");
  end.lid = *lid;
  word = take_word(rest);
  const auto port = parse_number<unsigned>(word);
  if (!port || *port > kPortMax) return wanted(line, word, "a port number up to 254");
  end.port = static_cast<std::uint8_t>(*port);
  word = take_word(rest);
  const auto guid = parse_number<std::uint64_t>(word, 16);
  if (!guid || *guid == 0) return wanted(line, word, "a GUID");
  end.guid = *guid;
  return end;
}

/// The name without the quotes that may enclose it.
std::string_view plain_name(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '\'' && text.back() == '\'')
    return text.substr(1, text.size() - 2);
  return text;
}

/// Takes the names ( 'near' - 'far' ).
void take_names(std::string_view text, ListLine& line) {
  text = trim(text);
  if (text.starts_with('(')) text.remove_prefix(1);
  if (text.ends_with(')')) text.remove_suffix(1);
  const std::size_t middle = text.find("' - '");
  if (middle == std::string_view::npos) return;
  line.near.name = plain_name(text.substr(0, middle + 1));
  line.far->name = plain_name(text.substr(middle + 4));
}

LineResult<ListLine> parse_list_line(std::string_view whole) {
  ListLine line;
  std::string_view text = whole;
  auto near = take_end(whole, text);
  if (!near) return tl::unexpected(near.error());
  line.near = *near;
  line.width = parse_link_width(take_word(text));
  line.speed = parse_link_speed(take_word(text));
  std::string_view rest = text;
  if (take_word(rest) != "-") {
    line.near.name = plain_name(text);
    return line;
  }
  auto far = take_end(whole, rest);
  if (!far) return tl::unexpected(far.error());
  line.far = *far;
  take_names(rest, line);
  return line;
}

/// Collects the lines of a file, then builds the fabric.
class PortList {
 public:
  PortList(FabricBuilder& builder, Warnings& warnings) : builder_(builder), warnings_(warnings) {}

  void progress(std::string_view line) {
    const std::size_t open = line.find('{');
    const std::size_t close = line.find('}', std::min(open, line.size()));
    if (close == std::string_view::npos) return;
    if (const auto guid = parse_number<std::uint64_t>(line.substr(open + 1, close - open - 1), 16))
      node_guids_.insert(*guid);
  }

  void port(const LineReader& at, const ListLine& line) {
    const std::uint32_t near = end_index(at, line.near);
    FabricBuilder::PortSpec& spec = ends_[near].spec;
    if (line.width && line.far) spec.width = line.width;
    if (line.speed && line.far) spec.speed = line.speed;
    if (!line.far) return;
    const std::uint32_t far = end_index(at, *line.far);
    End& end = ends_[near];
    if (end.peer == kNoEnd) {
      end.peer = far;
      end.line = at.line_number();
    } else if (end.peer != far) {
      warnings_.add(at, "{} is cabled to {} at line {}: ignored", name(near), name(end.peer),
                    end.line);
    }
  }

  Status finish(const std::string& path) {
    if (ends_.empty())
      return fail(Code::kBadInput, "{}: found no port, expected lines that begin with CA or SW",
                  path);
    make_nodes();
    for (const End& end : ends_)
      if (auto status = builder_.describe_port(end.node, PortNum(end.port), end.spec); !status)
        return status;
    for (std::uint32_t i = 0; i < ends_.size(); ++i)
      if (is_mutual(i)) add_cable(path, i);
    for (std::uint32_t i = 0; i < ends_.size(); ++i)
      if (ends_[i].peer != kNoEnd && !is_mutual(i)) add_cable(path, i);
    return {};
  }

 private:
  struct End {
    NodeType type{};
    std::uint8_t port = 0;
    std::uint64_t guid = 0;
    std::string name;
    FabricBuilder::PortSpec spec;
    std::uint32_t peer = kNoEnd;  // the peer that this port's own line states
    std::size_t line = 0;
    FabricBuilder::NodeIndex node = 0;
  };
  struct EndKey {
    std::uint64_t guid;
    std::uint32_t type_and_port;
    bool operator==(const EndKey&) const = default;
  };
  struct EndHash {
    std::size_t operator()(const EndKey& key) const {
      return std::hash<std::uint64_t>{}((key.guid ^ key.type_and_port) * 0x9E3779B97F4A7C15u);
    }
  };

  std::uint32_t end_index(const LineReader& at, const ListEnd& end) {
    const EndKey key{end.guid, static_cast<std::uint32_t>(end.type) << 8 | end.port};
    const auto [found, fresh] = index_.try_emplace(key, static_cast<std::uint32_t>(ends_.size()));
    if (fresh) {
      End& added = ends_.emplace_back();
      added.type = end.type;
      added.port = end.port;
      added.guid = end.guid;
      if (end.type != NodeType::kSwitch) added.spec.guid = Guid(end.guid);
    }
    End& known = ends_[found->second];
    if (known.name.empty()) known.name = end.name;
    take_lid(at, known, end.lid);
    return found->second;
  }

  void take_lid(const LineReader& at, End& end, std::uint16_t lid) {
    if (lid == 0 || Lid(lid) == kLidPermissive) return;
    auto& known = end.type == NodeType::kSwitch ? switch_lids_[end.guid] : end.spec.lid;
    if (known && known->base.value() == lid) return;
    if (known)
      warnings_.add(
          at, "{} has LID {} and LID {}: the second is ignored",
          end.name.empty() ? fmt::format("0x{:016x}", end.guid) : quote_net_text(end.name),
          known->base.value(), lid);
    else if (!is_unicast(Lid(lid)))
      warnings_.add(at, "found LID {}, expected 0 to {}: taken as none", lid,
                    kLidUnicastLast.value());
    else
      known = LidRange{Lid(lid), 0};
  }

  /// Makes the nodes: switches by GUID, and CAs from ports grouped as the header describes.
  void make_nodes() {
    std::map<std::pair<std::uint64_t, std::string_view>, std::vector<std::uint32_t>> counted;
    std::map<std::pair<NodeType, std::uint64_t>, std::vector<std::uint32_t>> members;
    const auto join = [&](std::uint32_t i, std::uint64_t node_guid) {
      members[{ends_[i].type, node_guid}].push_back(i);
    };
    for (std::uint32_t i = 0; i < ends_.size(); ++i) {
      const End& end = ends_[i];
      const std::uint64_t below = end.guid - end.port;
      if (end.type == NodeType::kSwitch || node_guids_.contains(end.guid))
        join(i, end.guid);
      else if (node_guids_.contains(below))
        join(i, below);
      else
        counted[{below, end.name}].push_back(i);
    }
    for (const auto& [key, ports] : counted)
      for (const std::uint32_t i : ports)
        join(i, ports.size() > 1 && key.first != 0 ? key.first : ends_[i].guid);
    for (const auto& [node, ports] : members) add_node(node.first, node.second, ports);
  }

  void add_node(NodeType type, std::uint64_t guid, const std::vector<std::uint32_t>& members) {
    Node node;
    node.type = type;
    node.node_guid = Guid(guid);
    for (const std::uint32_t i : members) {
      node.port_count = std::max(node.port_count, ends_[i].port);
      if (node.description.empty()) node.description = ends_[i].name;
      ends_[i].node = builder_.node_count();
    }
    const auto added = builder_.add_node(std::move(node));
    if (type != NodeType::kSwitch) return;
    const auto lid = switch_lids_.find(guid);
    if (lid == switch_lids_.end()) return;
    FabricBuilder::PortSpec spec;
    spec.lid = lid->second;
    CHECK(builder_.describe_port(added, PortNum(0), spec).has_value());
  }

  bool is_mutual(std::uint32_t i) const {
    return ends_[i].peer != kNoEnd && ends_[ends_[i].peer].peer == i;
  }

  void add_cable(const std::string& path, std::uint32_t i) {
    const End& near = ends_[i];
    const End& far = ends_[near.peer];
    if (auto connected =
            builder_.connect(near.node, PortNum(near.port), far.node, PortNum(far.port));
        !connected)
      warnings_.add(fmt::format("{}:{}: the cable is left out: {}", path, near.line,
                                connected.error().message));
  }

  std::string name(std::uint32_t i) const {
    return fmt::format("'{}' (0x{:016x}) port {}", ends_[i].name, ends_[i].guid, ends_[i].port);
  }

  FabricBuilder& builder_;
  Warnings& warnings_;
  std::unordered_set<std::uint64_t> node_guids_;
  std::unordered_map<EndKey, std::uint32_t, EndHash> index_;
  std::vector<End> ends_;
  std::unordered_map<std::uint64_t, std::optional<LidRange>> switch_lids_;
};

}  // namespace

bool looks_like_port_list(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (begins_list_line(line) && parse_list_line(line)) return true;
    head.remove_prefix(std::min(head.size(), line.size() + 1));
  }
  return false;
}

Status read_port_list(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                      Warnings& warnings) {
  PortList list(builder, warnings);
  const auto take = [&](std::string_view line) -> Status {
    if (is_discovery_progress(line)) {
      list.progress(line);
    } else if (begins_list_line(line)) {
      auto parsed = parse_list_line(line);
      if (!parsed) return fail_at(lines, parsed.error());
      list.port(lines, *parsed);
    } else if (!trim(line).empty() && !trim(line).starts_with('#')) {
      warnings.add(lines, "skipped: {}", quote_net_text(trim(line)));
    }
    return {};
  };
  std::string_view line;
  while (true) {
    auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return list.finish(lines.path());
    if (auto status = each_part(line, take); !status) return status;
  }
}

}  // namespace weft
