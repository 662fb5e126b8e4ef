// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/node_names.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kNameMax = 128;

bool is_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7F;
}

/// Parses a line of the file.
class NameLine {
 public:
  NameLine(const LineReader& at, std::string_view text) : at_(at), all_(text), rest_(text) {
    skip();
  }

  bool empty() const { return rest_.empty() || rest_.front() == '#'; }

  Result<Guid> guid() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\""));
    const auto value = parse_number<std::uint64_t>(word, 16);
    if (!value || *value == 0) return wrong(word, "the GUID of a node in hex");
    rest_.remove_prefix(word.size());
    skip();
    return Guid(*value);
  }

  Result<std::string> name() {
    const std::size_t end =
        rest_.empty() || rest_.front() != '"' ? std::string_view::npos : rest_.find('"', 1);
    if (end == std::string_view::npos) return wrong(rest_, "a name in double quotes");
    const std::string_view name = rest_.substr(1, end - 1);
    if (trim(name).empty() || name.size() > kNameMax || !std::ranges::all_of(name, is_printable))
      return wrong(name, "a name of 1 to 128 printable characters");
    rest_.remove_prefix(end + 1);
    skip();
    if (!empty()) return wrong(rest_, "the end of the line or a comment");
    return std::string(trim(name));
  }

  tl::unexpected<Error> wrong(std::string_view found, std::string_view want) const {
    return fail(Code::kBadInput, "{}:{}:{}: found {}, expected {}", at_.path(), at_.line_number(),
                all_.size() - rest_.size() + 1,
                found.empty() ? "the end of the line" : weft::quoted(found), want);
  }

 private:
  void skip() {
    const std::size_t start = rest_.find_first_not_of(" \t\r");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }

  const LineReader& at_;
  std::string_view all_;
  std::string_view rest_;
};

Result<NodeNames> read_names(LineReader reader) {
  NodeNames names;
  std::string_view text;
  while (true) {
    const auto more = reader.next(text);
    if (!more) return forward(more);
    if (!*more) return names;
    NameLine line(reader, text);
    if (line.empty()) continue;
    const auto guid = line.guid();
    if (!guid) return forward(guid);
    auto name = line.name();
    if (!name) return forward(name);
    if (!names.emplace(*guid, std::move(*name)).second)
      return fail(Code::kBadInput, "{}:{}: second name of node 0x{:016x}: expected one",
                  reader.path(), reader.line_number(), guid->value());
  }
}

}  // namespace

Result<NodeNames> read_node_names(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return forward(reader);
  return read_names(std::move(*reader));
}

Result<NodeNames> parse_node_names(std::string text, const std::string& path) {
  return read_names(LineReader::over(std::move(text), path));
}

}  // namespace weft
