// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/infragraph_slices.h"

#include "base/text.h"

namespace weft {

std::optional<std::vector<std::uint32_t>> InfraSlice::of(std::uint32_t count) const {
  const std::uint32_t first = begin.value_or(0);
  const std::uint32_t last = is_single ? first + 1 : end.value_or(count);
  if (last > count || (is_single && first >= count)) return {};
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t i = first; i < last; i += step)
    numbers.push_back(static_cast<std::uint32_t>(i));
  return numbers;
}

std::optional<InfraSlice> parse_infra_slice(std::string_view text) {
  InfraSlice slice;
  const std::size_t bracket = text.find('[');
  slice.name = text.substr(0, bracket);
  if (slice.name.empty()) return {};
  if (bracket == std::string_view::npos) return slice;
  if (!text.ends_with(']')) return {};
  const auto parts = split(text.substr(bracket + 1, text.size() - bracket - 2), ':');
  if (parts.size() > 3) return {};
  slice.is_single = parts.size() == 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty() && !slice.is_single) continue;
    const auto number = parse_number<std::uint32_t>(parts[i]);
    if (!number || *number == 0xFFFFFFFF || (i == 2 && *number == 0)) return {};
    if (i == 0) slice.begin = *number;
    if (i == 1) slice.end = *number;
    if (i == 2) slice.step = *number;
  }
  return slice;
}

}  // namespace weft
