// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/paths/prefix_routes.h"

#include "base/text.h"
#include "policy/option_file.h"

namespace weft {
namespace {

/// The hexadecimal number in a word; empty if the word is "*". Zero is a valid prefix.
Result<std::optional<std::uint64_t>> hex_or_any(const OptionLine& line, std::size_t word,
                                                std::string_view want) {
  if (word >= line.size()) return line.wrong(word, want);
  if (line.word(word) == "*") return std::optional<std::uint64_t>();
  if (const auto value = parse_number<std::uint64_t>(line.word(word), 16)) return value;
  return line.wrong(word, want);
}

}  // namespace

Result<std::vector<PrefixRoute>> read_prefix_routes(const std::string& path) {
  std::vector<PrefixRoute> routes;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto prefix = hex_or_any(line, 0, "a prefix in hex, or *");
    if (!prefix) return forward(prefix);
    const auto router = hex_or_any(line, 1, "the GUID of a router's port in hex, or *");
    if (!router) return forward(router);
    if (auto end = line.end(2); !end) return end;
    PrefixRoute route{*prefix, std::nullopt};
    if (*router) route.router = Guid(**router);
    routes.push_back(route);
    return {};
  });
  if (!status) return forward(status);
  return routes;
}

}  // namespace weft
