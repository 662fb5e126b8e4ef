// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/parameter.h"

#include <algorithm>

#include "base/text.h"

namespace weft {
namespace {

constexpr unsigned kPassesOfAuto = 24;
// Limit of the work of kReweightAuto: table entries in trees, times passes.
constexpr std::size_t kWorkOfAuto = 32'000'000;

}  // namespace

Result<unsigned> parse_reweight(std::string_view text) {
  if (text == "auto") return kReweightAuto;
  const auto passes = parse_c_number<unsigned>(text);
  if (!passes || *passes > kReweightMost)
    return fail(Code::kBadInput, "found {}, expected a number from 0 to {}, or auto", quoted(text),
                kReweightMost);
  return *passes;
}

unsigned passes_for(unsigned reweight, std::size_t trees, std::size_t switches) {
  if (reweight <= kReweightMost) return reweight;
  const std::size_t entries = std::max<std::size_t>(1, trees * switches);
  return static_cast<unsigned>(std::min<std::size_t>(kPassesOfAuto, kWorkOfAuto / entries));
}

}  // namespace weft
