// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Groups of `a` switches, fully connected inside, with `h` global cables on each switch. Ports:
// hosts, then the other switches of the group in order, then global cables.
// Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", 2008.
#include "fabric/generators/groups.h"
#include "fabric/generators/shapes.h"

namespace weft {

Result<Drawing> draw_dragonfly(const Parameters& parameters) {
  const unsigned a = parameters.number("a");
  const unsigned h = parameters.number("h");
  const unsigned hosts = parameters.number("p");
  const unsigned groups = parameters.number_or("g", a * h + 1);
  if (auto status = check_groups(parameters, groups, product({a, h})); !status)
    return forward(status);
  const std::uint64_t switches = product({groups, a});
  auto drawing = Drawing::start(
      parameters, {switches, product({switches, hosts}), std::uint64_t{h} + hosts + a - 1});
  if (!drawing) return drawing;
  GlobalSwitches global_switches{std::vector<std::vector<Drawing::Switch>>(groups), h};
  for (unsigned g = 0; g < groups; ++g)
    for (unsigned i = 0; i < a; ++i)
      global_switches.group[g].push_back(
          drawing->add_switch(fmt::format("group{}-sw{}", g + 1, i + 1)));
  drawing->add_hosts_everywhere(hosts);
  for (const auto& members : global_switches.group)
    for (unsigned i = 0; i < a; ++i)
      for (unsigned j = i + 1; j < a; ++j) drawing->cable(members[i], members[j]);
  join_groups(*drawing, global_switches);
  return drawing;
}

}  // namespace weft
