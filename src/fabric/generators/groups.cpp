// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/groups.h"

namespace weft {

Status check_groups(const Parameters& parameters, unsigned groups, std::uint64_t slots) {
  if (groups > 1 && slots < groups - 1)
    return parameters.refuse(
        "g", fmt::format("{} groups", groups),
        fmt::format("at most {}: a group has {} global ports", slots + 1, slots));
  return {};
}

void join_groups(Drawing& drawing, const GlobalSwitches& global_switches) {
  const auto groups = static_cast<unsigned>(global_switches.group.size());
  if (groups < 2) return;
  const auto slots = static_cast<unsigned>(global_switches.group[0].size()) * global_switches.ports;
  std::vector<unsigned> used(groups, 0);
  const auto take = [&](unsigned group) {
    return global_switches.group[group][used[group]++ / global_switches.ports];
  };
  for (unsigned round = 0; round < slots / (groups - 1); ++round)
    for (unsigned distance = 1; 2 * distance <= groups; ++distance) {
      const bool opposite = 2 * distance == groups;  // the same group in both directions
      for (unsigned from = 0; from < (opposite ? groups / 2 : groups); ++from) {
        const Drawing::Switch gate = take(from);
        drawing.cable(gate, take((from + distance) % groups));
      }
    }
}

}  // namespace weft
