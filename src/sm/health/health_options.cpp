// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/health/health_options.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::array<std::string_view, kHealthConditions> kConditionNames{
    "reboot",        "flapping",   "unresponsive",     "noisy",    "seterr",
    "illegal",       "manual",     "credit-watchdog",  "symmetry", "raw-ber",
    "effective-ber", "symbol-ber", "contain-and-drain"};
constexpr std::array<std::string_view, 5> kActionNames{"ignore", "report", "isolate", "no_discover",
                                                       "disable"};

}  // namespace

std::string_view name(HealthCondition condition) {
  return kConditionNames[static_cast<std::size_t>(condition)];
}

std::string_view name(HealthAction action) {
  return kActionNames[static_cast<std::size_t>(action)];
}

std::optional<HealthAction> parse_health_action(std::string_view word) {
  const auto found = std::ranges::find(kActionNames, word);
  if (found == kActionNames.end()) return std::nullopt;
  return static_cast<HealthAction>(found - kActionNames.begin());
}

}  // namespace weft
