#include <unordered_map>

#include "base/text.h"
#include "fabric/formats/lst.h"

namespace weft {
namespace {

struct End {
  NodeType type = NodeType::kCa;
  unsigned ports = 0;
  Guid system_guid, node_guid, port_guid;
  std::uint32_t vendor = 0, device = 0, revision = 0;
  std::string_view description;
  std::uint32_t lid = 0;
  unsigned port = 0;
};

/// The text up to `stop`, which is taken away with it; nothing where there is no stop.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view stop) {
  const std::size_t at = text.find(stop);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view found = text.substr(0, at);
  text.remove_prefix(at + stop.size());
  return found;
}

std::optional<NodeType> type_of(std::string_view word) {
  const std::string_view plain = word.substr(0, word.find('-'));
  if (plain == "CA") return NodeType::kCa;
  if (plain == "SW") return NodeType::kSwitch;
  if (plain == "Rt" || plain == "RTR") return NodeType::kRouter;
  return std::nullopt;
}

/// KEY:hex words into an end. Words without meaning here are passed over.
Status read_words(const LineReader& lines, std::string_view text, End& end) {
  for (const std::string_view word : split_words(text)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return fail_at(lines, "found '{}', want KEY:VALUE", word);
    const std::string_view key = word.substr(0, colon);
    const auto value = parse_number<std::uint64_t>(word.substr(colon + 1), 16);
    if (!value) return fail_at(lines, "found '{}', want a number in hex", word);
    const auto small = static_cast<std::uint32_t>(*value);
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

/// `{ TYPE words {description} words }`, taken from the front of the line.
Result<End> read_end(const LineReader& lines, std::string_view& text) {
  End end;
  const auto opened = take_until(text, "{");
  if (!opened || !trim(*opened).empty())
    return fail_at(lines, "found '{}', want '{{'", trim(opened.value_or(text)));
  const auto head = take_until(text, "{");
  if (!head) return fail_at(lines, "want a description in braces");
  // A description may hold braces itself: it ends where the LID begins.
  auto description = take_until(text, "} LID:");
  if (!description) return fail_at(lines, "want '}} LID:' behind the description");
  end.description = *description;
  const auto tail = take_until(text, "}");
  if (!tail) return fail_at(lines, "want '}}' behind LID and PN");
  std::string_view words = trim(*head);
  const std::string_view type = words.substr(0, words.find(' '));
  words.remove_prefix(type.size());
  const auto known = type_of(type);
  if (!known) return fail_at(lines, "found node type '{}', want CA, SW or Rt", type);
  end.type = *known;
  if (auto status = read_words(lines, words, end); !status) return forward(status);
  const std::string rest = "LID:" + std::string(*tail);
  if (auto status = read_words(lines, rest, end); !status) return forward(status);
  if (end.node_guid == Guid(0)) return fail_at(lines, "a node without a GUID");
  if (end.ports == 0 || end.ports > 254)
    return fail_at(lines, "found {} ports, want 1 to 254", end.ports);
  if (end.port == 0 || end.port > end.ports)
    return fail_at(lines, "found port {} of {}, want 1 to {}", end.port, end.ports, end.ports);
  return end;
}

std::optional<LinkSpeed> speed_of(std::string_view text) {
  constexpr std::pair<std::string_view, LinkSpeed> kSpeeds[] = {
      {"2.5", LinkSpeed::kSdr},     {"5", LinkSpeed::kDdr},   {"10", LinkSpeed::kQdr},
      {"FDR10", LinkSpeed::kFdr10}, {"14", LinkSpeed::kFdr},  {"25", LinkSpeed::kEdr},
      {"50", LinkSpeed::kHdr},      {"100", LinkSpeed::kNdr}, {"200", LinkSpeed::kXdr}};
  for (const auto& [known, speed] : kSpeeds)
    if (known == text) return speed;
  return std::nullopt;
}

/// Nodes by GUID as they are met.
class Nodes {
 public:
  Nodes(const LineReader& lines, FabricBuilder& builder, Warnings& warnings)
      : lines_(lines), builder_(builder), warnings_(warnings) {}

  Result<FabricBuilder::NodeIndex> meet(const End& end) {
    const auto known = by_guid_.find(end.node_guid);
    if (known != by_guid_.end()) {
      const Node& node = builder_.node(known->second);
      if (node.port_count != end.ports)
        return fail_at(lines_, "{}: found {} ports, an earlier line says {}", describe(node),
                       end.ports, node.port_count);
      return known->second;
    }
    Node node;
    node.type = end.type;
    constexpr unsigned kCaPortsMax = 4;
    if (end.type == NodeType::kCa && end.ports > kCaPortsMax) {
      node.type = NodeType::kSwitch;
      warnings_.add(lines_, "'{}' is typed CA and has {} ports: taken as a switch", end.description,
                    end.ports);
    }
    node.node_guid = end.node_guid;
    node.system_guid = end.system_guid;
    node.vendor_id = end.vendor;
    // OpenSM prints the far end's device shifted by 16 bits.
    node.device_id =
        static_cast<std::uint16_t>(end.device > 0xFFFF ? end.device >> 16 : end.device);
    node.revision = end.revision;
    node.port_count = static_cast<std::uint8_t>(end.ports);
    node.description = end.description;
    const auto index = builder_.add_node(std::move(node));
    by_guid_.emplace(end.node_guid, index);
    return index;
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
  static std::optional<LidRange> lid_of(const End& end) {
    if (end.lid == 0 || end.lid > kLidUnicastLast.value()) return std::nullopt;
    return LidRange{Lid(static_cast<std::uint16_t>(end.lid)), 0};
  }

  const LineReader& lines_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  std::unordered_map<Guid, FabricBuilder::NodeIndex> by_guid_;
};

struct LinkWords {
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
};

Result<LinkWords> read_link_words(const LineReader& lines, std::string_view text,
                                  Warnings& warnings) {
  LinkWords link;
  for (const std::string_view word : split_words(text)) {
    if (word.starts_with("PHY=")) {
      link.width = parse_link_width(word.substr(4));
      if (!link.width) return fail_at(lines, "found '{}', want a width such as PHY=4x", word);
    } else if (word.starts_with("SPD=")) {
      link.speed = speed_of(word.substr(4));
      if (!link.speed) warnings.add(lines, "found '{}': the speed is not known", word);
    } else if (!word.starts_with("LOG=")) {
      return fail_at(lines, "found '{}', want PHY=, LOG= or SPD=", word);
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

Status read_lst(LineReader& lines, const ReadOptions&, FabricBuilder& builder, Warnings& warnings) {
  Nodes nodes(lines, builder, warnings);
  std::string_view line;
  while (true) {
    const auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return {};
    std::string_view text = trim(line);
    if (text.empty() || text.starts_with("#")) continue;
    const auto a = read_end(lines, text);
    if (!a) return forward(a);
    const auto b = read_end(lines, text);
    if (!b) return forward(b);
    const auto link = read_link_words(lines, text, warnings);
    if (!link) return forward(link);
    const auto near = nodes.meet(*a);
    if (!near) return forward(near);
    const auto far = nodes.meet(*b);
    if (!far) return forward(far);
    Status status = nodes.describe_end(*near, *a, link->width, link->speed);
    if (status) status = nodes.describe_end(*far, *b, link->width, link->speed);
    if (!status) return fail_at(lines, "{}", status.error().message);
    status = builder.connect(*near, PortNum(static_cast<std::uint8_t>(a->port)), *far,
                             PortNum(static_cast<std::uint8_t>(b->port)));
    if (!status) return fail_at(lines, "{}", status.error().message);
  }
}

}  // namespace weft
