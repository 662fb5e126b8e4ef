// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/congestion_text.h"

#include "base/text.h"

namespace weft {
namespace {

constexpr std::uint8_t kShiftMax = 3;
constexpr std::uint16_t kMultiplierMax = (1u << 14) - 1;
constexpr std::size_t kMaskDigits = 64;

}  // namespace

Result<PortMask> parse_port_mask(std::string_view text) {
  const auto wrong = [&] {
    return fail(Code::kBadInput, "found {}, expected 0x and 1 to {} hexadecimal digits",
                quoted(text), kMaskDigits);
  };
  if (text.size() < 3 || text.size() > 2 + kMaskDigits || text[0] != '0' ||
      (text[1] != 'x' && text[1] != 'X'))
    return wrong();
  PortMask mask;
  for (const char c : text.substr(2)) {
    const auto digit = parse_number<std::uint8_t>(std::string_view(&c, 1), 16);
    if (!digit) return wrong();
    mask = mask << 4 | PortMask(*digit);
  }
  return mask;
}

Result<CctEntry> parse_cct_entry(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto shift = parse_c_number<std::uint8_t>(text.substr(0, colon));
    const auto multiplier = parse_c_number<std::uint16_t>(text.substr(colon + 1));
    if (shift && multiplier && *shift <= kShiftMax && *multiplier <= kMultiplierMax)
      return CctEntry{*shift, *multiplier};
  }
  return fail(
      Code::kBadInput,
      "found {}, expected SHIFT:MULTIPLIER with a shift from 0 to {} and a multiplier from 0 "
      "to {}",
      quoted(text), kShiftMax, kMultiplierMax);
}

Result<std::vector<CctEntry>> parse_cct(std::string_view text) {
  std::vector<CctEntry> entries;
  if (text.empty()) return entries;
  const auto words = split(text, ',');
  if (words.size() > kCctEntriesMax)
    return fail(Code::kBadInput, "found {} entries, expected at most {}", words.size(),
                kCctEntriesMax);
  for (const std::string_view word : words) {
    const auto entry = parse_cct_entry(trim(word));
    if (!entry)
      return fail(Code::kBadInput, "entry {}: {}", entries.size() + 1, entry.error().message);
    entries.push_back(*entry);
  }
  return entries;
}

}  // namespace weft
