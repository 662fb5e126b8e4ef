// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Groups of leaves and spines. Each leaf is cabled to each spine of its group; each spine has `h`
// global cables. Ports of a leaf: hosts, then spines. Ports of a spine: leaves, then global cables.
// Source: Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: low cost topology for
// scaling datacenters", 2017.
#include <algorithm>

#include "fabric/generators/groups.h"
#include "fabric/generators/shapes.h"

namespace weft {

Result<Drawing> draw_dragonfly_plus(const Parameters& parameters) {
  const unsigned half = parameters.number_or("k", 0) / 2;  // 0: each parameter has its own default
  const auto number = [&](std::string_view key) {
    return half > 0 && !parameters.given(key) ? half : parameters.number(key);
  };
  const unsigned leaves = number("leaves");
  const unsigned spines = number("spines");
  const unsigned h = number("h");
  const unsigned hosts = number("hosts");
  const unsigned groups = parameters.number_or("g", spines * h + 1);
  if (auto status = check_groups(parameters, groups, product({spines, h})); !status)
    return forward(status);
  auto drawing = Drawing::start(parameters, {product({groups, std::uint64_t{leaves} + spines}),
                                             product({groups, leaves, hosts}),
                                             std::max<std::uint64_t>(leaves + h, hosts + spines)});
  if (!drawing) return drawing;
  GlobalSwitches global_switches{std::vector<std::vector<Drawing::Switch>>(groups), h};
  for (unsigned g = 0; g < groups; ++g) {
    std::vector<Drawing::Switch> leaf;
    for (unsigned i = 0; i < leaves; ++i)
      leaf.push_back(drawing->add_switch(fmt::format("group{}-leaf{}", g + 1, i + 1)));
    for (unsigned i = 0; i < spines; ++i)
      global_switches.group[g].push_back(
          drawing->add_switch(fmt::format("group{}-spine{}", g + 1, i + 1)));
    for (const Drawing::Switch at : leaf) {
      drawing->add_hosts(at, hosts);
      for (const Drawing::Switch spine : global_switches.group[g]) drawing->cable(at, spine);
    }
  }
  join_groups(*drawing, global_switches);
  return drawing;
}

}  // namespace weft
