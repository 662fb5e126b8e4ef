// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibdm/ibdm_line.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

tl::unexpected<LineError> wrong(std::size_t column, std::string message) {
  return tl::unexpected(LineError{column, std::move(message)});
}

/// The words of a text that begins in column `column` of its line.
LineResult<std::vector<IbdmWord>> words_from(std::string_view text, std::size_t column) {
  std::vector<IbdmWord> words;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size()) return words;
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    words.push_back({text.substr(begin, at - begin), column + begin});
    if (at - begin > kIbdmWordMax)
      return wrong(column + begin, fmt::format("found a word of {} bytes, expected at most {}",
                                               at - begin, kIbdmWordMax));
  }
}

std::optional<LinkSpeed> lane_speed(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, LinkSpeed>, 9> kSpeeds{
      {{"2.5", LinkSpeed::kSdr},
       {"5", LinkSpeed::kDdr},
       {"10", LinkSpeed::kQdr},
       {"FDR10", LinkSpeed::kFdr10},
       {"14", LinkSpeed::kFdr},
       {"25", LinkSpeed::kEdr},
       {"50", LinkSpeed::kHdr},
       {"100", LinkSpeed::kNdr},
       {"200", LinkSpeed::kXdr}}};
  if (!text.empty() && (text.back() == 'G' || text.back() == 'g')) text.remove_suffix(1);
  for (const auto& [known, speed] : kSpeeds)
    if (known == text) return speed;
  return std::nullopt;
}

/// Reads `-4x-10G`; each part is optional. The last `-` belongs to the arrow.
LineResult<LinkRate> read_rate(std::string_view text, std::size_t column) {
  LinkRate rate;
  for (const std::string_view part : split(text, '-')) {
    if (trim(part).empty()) continue;
    const auto width = parse_link_width(trim(part));
    const auto speed = lane_speed(trim(part));
    if (width && !rate.width && !rate.speed) {
      rate.width = width;
    } else if (speed && !rate.speed) {
      rate.speed = speed;
    } else {
      return wrong(column, fmt::format("found {} in the arrow, expected a width such as 4x, then a "
                                       "speed such as 10G",
                                       quote_net_text(trim(part))));
    }
  }
  return rate;
}

}  // namespace

std::string_view without_ibdm_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || is_space(line[at - 1])) return line.substr(0, at);
  return line;
}

LineResult<std::vector<IbdmWord>> ibdm_words(std::string_view line) { return words_from(line, 1); }

LineResult<IbdmConnection> parse_ibdm_connection(std::string_view line) {
  const std::size_t arrow = line.find("->");
  const std::string_view near = line.substr(0, arrow);
  auto to = words_from(line.substr(arrow + 2), arrow + 3);
  if (!to) return tl::unexpected(to.error());
  const auto from = words_from(near, 1);
  if (!from) return tl::unexpected(from.error());
  if (from->empty()) return wrong(arrow + 1, "found no port in front of the arrow");
  IbdmConnection connection{from->front(), {}, std::move(*to)};
  if (from->size() == 1) return connection;
  const IbdmWord& second = (*from)[1];
  if (!second.text.starts_with('-'))
    return wrong(second.column, fmt::format("found {}, expected -> or -WIDTH-SPEED->",
                                            quote_net_text(second.text)));
  const auto rate = read_rate(near.substr(second.column - 1), second.column);
  if (!rate) return tl::unexpected(rate.error());
  connection.rate = *rate;
  return connection;
}

}  // namespace weft
