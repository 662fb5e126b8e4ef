// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kIdMax = 256;
constexpr std::size_t kNameMax = 1024;  // bytes; a NodeDescription has 64, labels more

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Reads a line from left to right.
class Scan {
 public:
  explicit Scan(std::string_view line) : begin_(line.data()), rest_(line) {}

  std::string_view rest() const { return rest_; }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view digits() {
    const std::size_t count =
        static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_digit) - rest_.begin());
    return advance(count);
  }
  /// Takes the text up to `end`, and `end` itself; nothing if there is no `end`.
  std::optional<std::string_view> until(char end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view text = advance(at);
    rest_.remove_prefix(1);
    return text;
  }
  void skip(std::size_t count) { rest_.remove_prefix(count); }
  tl::unexpected<LineError> wanted(std::string_view what) const {
    return tl::unexpected<LineError>(
        LineError{static_cast<std::size_t>(rest_.data() - begin_) + 1,
                  fmt::format("found {}, expected {}", quote_net_text(rest_), what)});
  }

 private:
  std::string_view advance(std::size_t count) {
    const std::string_view text = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return text;
  }
  const char* begin_;
  std::string_view rest_;
};

LineResult<std::uint8_t> take_port_count(Scan& scan) {
  const Scan before = scan;
  const auto number = parse_number<std::uint8_t>(scan.digits());
  if (!number || *number > kPortMax) return before.wanted("a number of ports up to 254");
  return *number;
}

/// Takes [7], and the bracketed labels that some writers append: [7][ext 3].
LineResult<std::uint8_t> take_port(Scan& scan) {
  scan.skip_blanks();
  const Scan before = scan;
  if (!scan.take('[')) return before.wanted("a port in brackets, [1] to [254]");
  const auto number = parse_number<std::uint8_t>(scan.digits());
  if (!number || *number > kPortMax || !scan.take(']'))
    return before.wanted("a port in brackets, [1] to [254]");
  while (scan.take('['))
    if (!scan.until(']')) return scan.wanted("a label that ends in ]");
  return *number;
}

/// Takes any number of (...) groups; returns the content of the last one.
LineResult<std::string_view> take_groups(Scan& scan) {
  std::string_view last;
  while (scan.take('(')) {
    const auto group = scan.until(')');
    if (!group) return scan.wanted("a label or GUID that ends in )");
    last = *group;
  }
  return last;
}

LineResult<std::string_view> take_id(Scan& scan) {
  scan.skip_blanks();
  const Scan before = scan;
  if (!scan.take('"')) return before.wanted("a node id in quotes");
  const auto id = scan.until('"');
  if (!id) return before.wanted("a node id that ends in a quote");
  if (id->empty() || id->size() > kIdMax)
    return before.wanted(fmt::format("a node id of 1 to {} characters", kIdMax));
  return *id;
}

/// A comment in three parts: words, a quoted name that may contain quotes, words.
struct Comment {
  bool named = false;
  std::string_view before;
  std::string_view name;
  std::string_view after;
};

Comment split_comment(std::string_view text) {
  const std::size_t first = text.find('"');
  const std::size_t last = text.rfind('"');
  if (first == std::string_view::npos) return {false, {}, {}, text};
  if (first == last) return {true, text.substr(0, first), text.substr(first + 1), {}};
  return {true, text.substr(0, first), text.substr(first + 1, last - first - 1),
          text.substr(last + 1)};
}

/// The word after `key`, empty if another key or nothing follows ("lid  lmc 0").
std::string_view word_after(const std::vector<std::string_view>& words, std::string_view key) {
  const auto at = std::ranges::find(words, key);
  if (at == words.end() || at + 1 == words.end() || at[1] == "lmc") return {};
  return at[1];
}

/// Reads a rate, "4xHDR". A rate in parentheses, "(4xNDR)", is the real rate; it follows a rate
/// that is written for ibsim.
void read_rate(std::string_view word, NetPortLine& port) {
  if (word.size() > 2 && word.front() == '(' && word.back() == ')')
    word = word.substr(1, word.size() - 2);
  const std::size_t x = word.find('x');
  if (x == 0 || x == std::string_view::npos ||
      !std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(x), is_digit))
    return;
  const auto width = parse_link_width(word.substr(0, x + 1));
  const auto speed = parse_link_speed(word.substr(x + 1));
  if (width && speed) {
    port.width = width;
    port.speed = speed;
  } else {
    port.unknown_rate = word;
  }
}

/// Reads "v=4" after the rate, which is VLCap: 1 to 5 mean 1, 2, 4, 8 and 15 data VLs.
void read_vls(std::string_view word, NetPortLine& port) {
  constexpr std::array<std::uint8_t, 5> kVls{1, 2, 4, 8, 15};
  if (!word.starts_with("v=")) return;
  const auto cap = parse_number<std::uint8_t>(word.substr(2));
  if (cap && *cap >= 1 && *cap <= kVls.size()) port.data_vls = kVls[*cap - 1u];
}

/// Reads ibsim's "w=4" before the comment: 1, 4 or 12 lanes, or the LinkWidthEnabled bit 2 (4x) or
/// 8 (12x). Other values are ignored.
void read_lanes(std::string_view word, NetPortLine& port) {
  if (!word.starts_with("w=")) return;
  const auto value = parse_number<unsigned>(word.substr(2));
  if (!value) return;
  if (*value == 1) port.width = LinkWidth::k1x;
  if (*value == 2 || *value == 4) port.width = LinkWidth::k4x;
  if (*value == 8 || *value == 12) port.width = LinkWidth::k12x;
}

struct Keyword {
  std::string_view word;
  NodeType type;
};
constexpr std::array<Keyword, 5> kKeywords{{{"Switch", NodeType::kSwitch},
                                            {"Ca", NodeType::kCa},
                                            {"Hca", NodeType::kCa},
                                            {"Rt", NodeType::kRouter},
                                            {"Router", NodeType::kRouter}}};

/// The keyword that begins the line and is followed by a number or a quote.
const Keyword* keyword_of(std::string_view line) {
  for (const Keyword& keyword : kKeywords) {
    if (!line.starts_with(keyword.word)) continue;
    const std::string_view rest = line.substr(keyword.word.size());
    const std::string_view next = trim(rest);
    if (next.empty() || (next.front() != '"' && !is_digit(next.front()))) continue;
    if (rest.front() == '"' || is_digit(rest.front()) || is_blank(rest.front())) return &keyword;
  }
  return nullptr;
}

bool begins_statement(std::string_view line, std::string_view word) {
  return line.starts_with(word) && line.size() > word.size() && is_blank(line[word.size()]);
}

}  // namespace

std::string quote_net_text(std::string_view text) {
  if (text.empty()) return "the end of the line";
  std::string shown(text.substr(0, 40));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return "'" + shown + (text.size() > 40 ? "...'" : "'");
}

std::string quote_value(std::string_view text) {
  return text.empty() ? "''" : quote_net_text(text);
}

bool is_discovery_progress(std::string_view line) {
  return line.starts_with("DR path ") && line.find(" -> ") != std::string_view::npos;
}

bool is_net_header(std::string_view line) {
  line = trim(line);
  return line == "Non-Chassis Nodes" || begins_statement(line, "Chassis") ||
         begins_statement(line, "Spine") || begins_statement(line, "Line");
}

NetLineKind kind_of_net_line(std::string_view line) {
  line = trim(line);
  if (line.empty() || line.front() == '#' || is_discovery_progress(line))
    return NetLineKind::kBlank;
  if (line.size() > 1 && line[0] == '[' && is_digit(line[1])) {
    // "[2023-01-31 ...] text" is a line of another program's log; "[12" is a truncated port line.
    const std::size_t end = line.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos || line[end] == ']') return NetLineKind::kPort;
    return NetLineKind::kOtherText;
  }
  if (keyword_of(line) != nullptr) return NetLineKind::kNode;
  for (const std::string_view key :
       {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "hcaguid=", "rtguid="})
    if (line.starts_with(key)) return NetLineKind::kKey;
  if (begins_statement(line, "include")) return NetLineKind::kInclude;
  if (begins_statement(line, "do")) return NetLineKind::kDo;
  return NetLineKind::kOtherText;
}

LineResult<NetNodeLine> parse_net_node(std::string_view line) {
  Scan scan(line);
  scan.skip_blanks();
  const Keyword* keyword = keyword_of(scan.rest());
  if (keyword == nullptr) return scan.wanted("Switch, Ca, Hca or Rt");
  NetNodeLine node;
  node.type = keyword->type;
  scan.skip(keyword->word.size());
  scan.skip_blanks();
  auto ports = take_port_count(scan);
  if (!ports) return tl::unexpected(ports.error());
  node.port_count = *ports;
  auto id = take_id(scan);
  if (!id) return tl::unexpected(id.error());
  node.id = *id;
  const std::size_t hash = scan.rest().find('#');
  if (hash == std::string_view::npos) return node;
  const Comment comment = split_comment(scan.rest().substr(hash + 1));
  const auto words = split_words(comment.after);
  node.name = comment.name.substr(0, kNameMax);
  node.enhanced_port0 = std::ranges::find(words, "enhanced") != words.end();
  node.lid = word_after(words, "lid");
  node.lmc = word_after(words, "lmc");
  return node;
}

LineResult<NetPortLine> parse_net_port(std::string_view line) {
  Scan scan(line);
  NetPortLine port;
  auto number = take_port(scan);
  if (!number) return tl::unexpected(number.error());
  port.port = *number;
  auto guid = take_groups(scan);
  if (!guid) return tl::unexpected(guid.error());
  port.guid = *guid;
  auto id = take_id(scan);
  if (!id) return tl::unexpected(id.error());
  port.peer_id = *id;
  number = take_port(scan);
  if (!number) return tl::unexpected(number.error());
  port.peer_port = *number;
  auto peer_guid = take_groups(scan);
  if (!peer_guid) return tl::unexpected(peer_guid.error());

  const std::size_t hash = scan.rest().find('#');
  for (const std::string_view word : split_words(scan.rest().substr(0, hash)))
    read_lanes(word, port);
  if (hash == std::string_view::npos) return port;
  const Comment comment = split_comment(scan.rest().substr(hash + 1));
  const auto own = split_words(comment.before);
  port.lid = word_after(own, "lid");
  port.lmc = word_after(own, "lmc");
  for (const std::string_view word : split_words(comment.after)) {
    read_rate(word, port);
    read_vls(word, port);
  }
  return port;
}

NetKeyLine parse_net_key(std::string_view line) {
  line = trim(line);
  const std::size_t equals = line.find('=');
  NetKeyLine key{line.substr(0, equals), {}, {}};
  if (equals == std::string_view::npos) return key;
  std::string_view value = line.substr(equals + 1);
  const std::size_t open = value.find('(');
  if (open != std::string_view::npos) {
    key.port_guid = value.substr(open + 1);
    key.port_guid = key.port_guid.substr(0, key.port_guid.find(')'));
    value = value.substr(0, open);
  }
  key.value = trim(value);
  return key;
}

}  // namespace weft
