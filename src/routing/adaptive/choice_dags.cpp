// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/choice_dags.h"

namespace weft {

void ChoiceDags::set(const HopDag& dag, std::span<const std::uint32_t> trunk_of) {
  const std::uint32_t to = dag.destination().value();
  std::uint16_t* const level = &levels_[std::size_t{to} * switches_];
  level[to] = 0;
  for (const HopDag::Group& group : dag.groups())
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const HopDag::Member& member = dag.members()[i];
      std::uint16_t most = 0;
      for (const std::uint32_t next : dag.targets(group, member))
        most = std::max(most, level[next]);
      level[member.sw] = static_cast<std::uint16_t>(most + 1);
      for (const std::uint32_t channel : dag.channels(group, member))
        restore(to, trunk_of[channel]);
    }
}

}  // namespace weft
