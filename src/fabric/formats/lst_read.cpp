// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/letters.h"
#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/lst.h"

namespace weft {
namespace {

struct End {
  NodeType type = NodeType::kCa;
  unsigned ports = 0;
  Guid system_guid, node_guid, port_guid;
  std::uint32_t vendor = 0, device = 0, revision = 0;
  std::string_view description;
  std::string_view text;  // position in the line
  std::uint32_t lid = 0;
  unsigned port = 0;
};

/// A line and its unread rest; makes errors that state the column.
struct Cursor {
  const LineReader& lines;
  const char* begin;
  std::string_view rest;

  template <class... Args>
  tl::unexpected<Error> fail_here(std::string_view at, fmt::format_string<Args...> format,
                                  Args&&... args) const {
    return fail_at_column(lines, static_cast<std::size_t>(at.data() - begin) + 1,
                          fmt::format(format, std::forward<Args>(args)...));
  }

  /// Takes the text up to `stop`, and `stop` itself; nothing if there is no `stop`.
  std::optional<std::string_view> take_until(std::string_view stop) {
    const std::size_t at = rest.find(stop);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view found = rest.substr(0, at);
    rest.remove_prefix(at + stop.size());
    return found;
  }
};

std::optional<NodeType> type_of(std::string_view word) {
  const std::string_view plain = word.substr(0, word.find('-'));
  if (plain == "CA") return NodeType::kCa;
  if (plain == "SW") return NodeType::kSwitch;
  if (plain == "Rt" || plain == "RTR") return NodeType::kRouter;
  return std::nullopt;
}

/// Reads KEY:hex words into an end. Unused words are skipped.
Status read_words(const Cursor& line, std::string_view text, End& end) {
  for (const std::string_view word : split_words(text)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos)
      return line.fail_here(word, "found {}, expected KEY:VALUE", quote_net_text(word));
    const std::string_view key = word.substr(0, colon);
    const auto value = parse_number<std::uint64_t>(word.substr(colon + 1), 16);
    if (!value)
      return line.fail_here(word, "found {}, expected a number in hex", quote_net_text(word));
    constexpr std::uint64_t kSmallMax = 0xFFFFFFFF;
    const auto small = static_cast<std::uint32_t>(std::min(*value, kSmallMax));
    if (key == "Ports") end.ports = small;
    if (key == "SystemGUID") end.system_guid = Guid(*value);
    if (key == "NodeGUID") end.node_guid = Guid(*value);
    if (key == "PortGUID") end.port_guid = Guid(*value);
    if (key == "VenID") end.vendor = small;
    if (key == "DevID") end.device = small;
    if (key == "Rev") end.revision = small;
    if (key == "LID") end.lid = small;
    if (key == "PN") end.port = small;
  }
  return {};
}

/// Takes `{ TYPE words {description} words }` from the front of the line.
Result<End> read_end(Cursor& line) {
  End end;
  end.text = line.rest;
  const auto opened = line.take_until("{");
  if (!opened || !trim(*opened).empty())
    return line.fail_here(end.text, "found {}, expected '{{'",
                          quote_net_text(trim(opened.value_or(line.rest))));
  const auto head = line.take_until("{");
  if (!head) return line.fail_here(line.rest, "found no description in braces");
  // A description may contain braces, so the end of a node is found by the LID that follows.
  const std::size_t closed = line.rest.find("} LID:");
  if (closed == std::string_view::npos)
    return line.fail_here(line.rest, "found no '}} LID:' behind the description");
  end.description = line.rest.substr(0, closed);
  line.rest.remove_prefix(closed + 2);
  const std::string_view behind = line.rest;
  const auto tail = line.take_until("}");
  if (!tail) return line.fail_here(behind, "found no '}}' behind LID and PN");
  std::string_view words = trim(*head);
  const std::string_view type = words.substr(0, words.find_first_of(" \t"));
  words.remove_prefix(type.size());
  const auto known = type_of(type);
  if (!known)
    return line.fail_here(type, "found node type {}, expected CA, SW or Rt", quote_net_text(type));
  end.type = *known;
  if (auto status = read_words(line, words, end); !status) return forward(status);
  if (auto status = read_words(line, *tail, end); !status) return forward(status);
  if (end.node_guid == Guid(0)) return line.fail_here(*head, "found a node without a GUID");
  if (end.ports == 0 || end.ports > 254)
    return line.fail_here(*head, "found {} ports, expected 1 to 254", end.ports);
  if (end.port == 0 || end.port > end.ports)
    return line.fail_here(*tail, "found port {} of {}, expected 1 to {}", end.port, end.ports,
                          end.ports);
  return end;
}

/// Whether a node of type CA is a switch, because some writers give every node the type CA. No CA
/// has more than four ports. A node with three or four ports is a switch if its description
/// contains the name of a switch.
bool is_switch_typed_ca(const End& end) {
  if (end.type != NodeType::kCa || end.ports <= 2) return false;
  const std::string name = lower(end.description);
  return end.ports > 4 || name.find("infiniscale") != std::string::npos ||
         name.find("switch") != std::string::npos;
}

std::optional<LinkSpeed> speed_of_word(std::string_view text) {
  constexpr std::pair<std::string_view, LinkSpeed> kSpeeds[] = {
      {"2.5", LinkSpeed::kSdr},     {"5", LinkSpeed::kDdr},   {"10", LinkSpeed::kQdr},
      {"FDR10", LinkSpeed::kFdr10}, {"14", LinkSpeed::kFdr},  {"25", LinkSpeed::kEdr},
      {"50", LinkSpeed::kHdr},      {"100", LinkSpeed::kNdr}, {"200", LinkSpeed::kXdr}};
  for (const auto& [known, speed] : kSpeeds)
    if (known == text) return speed;
  return std::nullopt;
}

/// Nodes by GUID, added at their first mention.
class Nodes {
 public:
  explicit Nodes(FabricBuilder& builder) : builder_(builder) {}

  Result<FabricBuilder::NodeIndex> find_or_add(const Cursor& line, const End& end) {
    const bool mistyped = is_switch_typed_ca(end);
    const NodeType type = mistyped ? NodeType::kSwitch : end.type;
    const auto known = by_guid_.find(end.node_guid);
    if (known != by_guid_.end()) {
      Node& node = builder_.node(known->second);
      if (node.port_count != end.ports)
        return line.fail_here(end.text, "{}: found {} ports, an earlier line has {}",
                              describe(node), end.ports, node.port_count);
      if (node.type != type)
        return line.fail_here(end.text, "{}: found node type {}, an earlier line has {}",
                              describe(node), name(type), name(node.type));
      if (node.vendor_id == 0) node.vendor_id = end.vendor;
      if (node.device_id == 0) node.device_id = device_of(end);
      if (node.revision == 0) node.revision = end.revision;
      return known->second;
    }
    if (mistyped && mistyped_++ == 0) first_mistyped_ = end.description;
    Node node;
    node.type = type;
    node.node_guid = end.node_guid;
    node.system_guid = end.system_guid;
    node.vendor_id = end.vendor;
    node.device_id = device_of(end);
    node.revision = end.revision;
    node.port_count = static_cast<std::uint8_t>(end.ports);
    node.description = end.description;
    const auto index = builder_.add_node(std::move(node));
    by_guid_.emplace(end.node_guid, index);
    return index;
  }

  /// Adds one warning for all nodes with a wrong type.
  void finish(const LineReader& lines, Warnings& warnings) const {
    if (mistyped_ > 0)
      warnings.add(
          fmt::format("{}: {} nodes are typed CA and have the ports or the name of a "
                      "switch: taken as switches; the first is {}",
                      lines.path(), mistyped_, quote_net_text(first_mistyped_)));
  }

  Status describe_end(FabricBuilder::NodeIndex index, const End& end,
                      std::optional<LinkWidth> width, std::optional<LinkSpeed> speed) {
    const bool at_switch = builder_.node(index).type == NodeType::kSwitch;
    FabricBuilder::PortSpec spec;
    spec.width = width;
    spec.speed = speed;
    if (!at_switch) spec.guid = end.port_guid;
    if (!at_switch) spec.lid = lid_of(end);
    auto status = builder_.describe_port(index, PortNum(static_cast<std::uint8_t>(end.port)), spec);
    if (!status || !at_switch) return status;
    FabricBuilder::PortSpec port0;
    port0.guid = end.port_guid;
    port0.lid = lid_of(end);
    return builder_.describe_port(index, PortNum(0), port0);
  }

 private:
  /// The device ID. OpenSM prints the ID of the peer shifted by 16 bits, ibutils the IDs of both
  /// ends.
  static std::uint16_t device_of(const End& end) {
    return static_cast<std::uint16_t>(end.device > 0xFFFF ? end.device >> 16 : end.device);
  }

  static std::optional<LidRange> lid_of(const End& end) {
    if (end.lid == 0 || end.lid > kLidUnicastLast.value()) return std::nullopt;
    return LidRange{Lid(static_cast<std::uint16_t>(end.lid)), 0};
  }

  FabricBuilder& builder_;
  std::unordered_map<Guid, FabricBuilder::NodeIndex> by_guid_;
  std::size_t mistyped_ = 0;
  std::string first_mistyped_;
};

struct LinkWords {
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
};

Result<LinkWords> read_link_words(const Cursor& line, Warnings& warnings) {
  LinkWords link;
  for (const std::string_view word : split_words(line.rest)) {
    if (word == "PHY=UNKNOWN" || word == "SPD=UNKNOWN") continue;  // a port that is down
    if (word.starts_with("PHY=")) {
      link.width = parse_link_width(word.substr(4));
      if (!link.width)
        return line.fail_here(word, "found {}, expected a width such as PHY=4x",
                              quote_net_text(word));
    } else if (word.starts_with("SPD=")) {
      link.speed = speed_of_word(word.substr(4));
      if (!link.speed)
        warnings.add(line.lines, "found {}, expected SPD= with a known speed: ignored",
                     quote_net_text(word));
    } else if (!word.starts_with("LOG=")) {
      return line.fail_here(word, "found {}, expected PHY=, LOG= or SPD=", quote_net_text(word));
    }
  }
  return link;
}

}  // namespace

bool looks_like_lst(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view line = trim(head.substr(0, end));
    if (line.starts_with("{") && line.find("NodeGUID:") != std::string_view::npos) return true;
    if (!line.empty() && !line.starts_with("#")) return false;
    if (end == std::string_view::npos) return false;
    head.remove_prefix(end + 1);
  }
  return false;
}

namespace {

Status read_cable(Cursor line, Nodes& nodes, FabricBuilder& builder, Warnings& warnings) {
  const auto a = read_end(line);
  if (!a) return forward(a);
  const auto b = read_end(line);
  if (!b) return forward(b);
  const auto link = read_link_words(line, warnings);
  if (!link) return forward(link);
  const auto near = nodes.find_or_add(line, *a);
  if (!near) return forward(near);
  const auto far = nodes.find_or_add(line, *b);
  if (!far) return forward(far);
  Status status = nodes.describe_end(*near, *a, link->width, link->speed);
  if (status) status = nodes.describe_end(*far, *b, link->width, link->speed);
  if (status)
    status = builder.connect(*near, PortNum(static_cast<std::uint8_t>(a->port)), *far,
                             PortNum(static_cast<std::uint8_t>(b->port)));
  if (!status) return line.fail_here(a->text, "{}", status.error().message);
  return {};
}

}  // namespace

Status read_lst(LineReader& lines, const ReadOptions&, FabricBuilder& builder, Warnings& warnings) {
  Nodes nodes(builder);
  std::string_view line;
  while (true) {
    const auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) break;
    const auto take = [&](std::string_view part) -> Status {
      const std::string_view text = trim(part);
      if (text.empty() || text.starts_with("#")) return {};
      return read_cable({lines, line.data(), text}, nodes, builder, warnings);
    };
    if (auto status = each_part(line, take); !status) return status;
  }
  nodes.finish(lines, warnings);
  return {};
}

}  // namespace weft
