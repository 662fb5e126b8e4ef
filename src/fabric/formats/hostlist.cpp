// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>

#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/slurm_topology.h"

namespace weft {
namespace {

/// Column of `part` in `whole`, from 1.
std::size_t column_of(std::string_view whole, std::string_view part) {
  return static_cast<std::size_t>(part.data() - whole.data()) + 1;
}

/// For an empty part, the message quotes the text that follows it.
tl::unexpected<LineError> wrong(std::string_view whole, std::string_view part,
                                std::string_view want) {
  const std::size_t column = column_of(whole, part);
  return tl::unexpected(LineError{
      column, fmt::format("found {}, expected {}",
                          quote_net_text(part.empty() ? whole.substr(column - 1) : part), want)});
}

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t digits = 0;
};

constexpr std::size_t kDigitsMax = 18;

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  const auto a = parse_number<std::uint64_t>(first);
  const auto b = parse_number<std::uint64_t>(last);
  if (!a || !b || *a > *b || first.size() > kDigitsMax || last.size() > kDigitsMax)
    return std::nullopt;
  return Range{*a, *b, first.size()};
}

/// Replaces each name by several names, one for each number of the ranges, with the number
/// appended. Fails if the ranges are malformed or if the result has more than `left` names.
LineResult<bool> multiply(std::vector<std::string>& names, std::string_view whole,
                          std::string_view ranges, std::size_t left) {
  std::vector<Range> found;
  std::size_t count = 0;  // number of values of all ranges
  for (const std::string_view part : split(ranges, ',')) {
    const auto range = parse_range(part);
    if (!range) return wrong(whole, part, "a number or a range such as 1-16");
    if (range->last - range->first >= left)
      return wrong(whole, part, fmt::format("at most {} more names", left));
    count += range->last - range->first + 1;
    if (count * names.size() > left)
      return wrong(whole, part, fmt::format("at most {} more names", left));
    found.push_back(*range);
  }
  std::vector<std::string> longer;
  longer.reserve(count * names.size());
  for (const std::string& name : names)
    for (const Range& range : found)
      for (std::uint64_t i = range.first; i <= range.last; ++i)
        longer.push_back(fmt::format("{}{:0{}}", name, i, range.digits));
  names = std::move(longer);
  return true;
}

LineResult<std::vector<std::string>> expand(std::string_view whole, std::string_view item,
                                            std::size_t left) {
  std::vector<std::string> names{""};
  while (!item.empty()) {
    const std::size_t open = item.find('[');
    const std::string_view plain = item.substr(0, open);
    if (plain.find(']') != std::string_view::npos) return wrong(whole, item, "'[' before ']'");
    for (std::string& name : names) name += plain;
    if (open == std::string_view::npos) break;
    const std::size_t close = item.find(']', open);
    if (close == std::string_view::npos) return wrong(whole, item.substr(open), "a closing ']'");
    const auto more = multiply(names, whole, item.substr(open + 1, close - open - 1), left);
    if (!more) return tl::unexpected(more.error());
    item.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

LineResult<std::vector<HostlistItem>> expand_hostlist(std::string_view text, std::size_t& left) {
  constexpr std::size_t kItemMax = 256;
  std::vector<HostlistItem> items;
  std::string_view rest = text;
  while (true) {
    std::size_t end = 0;
    for (bool inside = false; end < rest.size() && (inside || rest[end] != ','); ++end)
      inside = rest[end] == '[' || (inside && rest[end] != ']');
    const std::string_view item = rest.substr(0, end);
    const std::string_view stem = item.substr(0, item.find('['));
    if (item.empty()) return wrong(text, rest, "a name");
    if (stem.size() > kItemMax) return wrong(text, item, "a name of at most 256 characters");
    if (left == 0) return wrong(text, item, "no more names");
    auto names = expand(text, item, left);
    if (!names) return tl::unexpected(names.error());
    left -= std::min(left, names->size());
    items.push_back({item, std::move(*names)});
    if (end == rest.size()) return items;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace weft
