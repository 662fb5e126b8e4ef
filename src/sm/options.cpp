// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/options.h"

#include <algorithm>

#include "base/text.h"
#include "routing/adaptive/engines.h"

namespace weft {

bool uses_adaptive_routing(const SmOptions& options) {
  if (options.routing.adaptive) return options.routing.adaptive->enable;
  return std::ranges::any_of(options.routing_engine.engines,
                             [](const std::string& name) { return plain_engine(name) != name; });
}

Result<unsigned> parse_sweep_window(std::string_view text) {
  constexpr unsigned kWindowMax = 1'000'000;
  if (trim(text) == "-1") return 0u;
  const auto window = parse_c_number<unsigned>(trim(text));
  if (!window || *window > kWindowMax)
    return fail(Code::kBadInput, "found {}, expected a number from 0 to {}, or -1",
                weft::quoted(text), kWindowMax);
  return *window;
}

Result<std::vector<std::uint16_t>> parse_device_ids(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, ',', ' ');
  std::vector<std::uint16_t> ids;
  for (const std::string_view word : split_words(blanks)) {
    const auto id = parse_number<std::uint16_t>(word, 16);
    if (!id || *id == 0)
      return fail(Code::kBadInput,
                  "found {}, expected device ids from 0x1 to 0xffff, separated by commas",
                  weft::quoted(text));
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace weft
