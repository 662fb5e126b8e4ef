// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/groups.h"

#include "base/rng.h"

namespace weft {

std::vector<MulticastGroup> some_groups(const Fabric& fabric, std::uint64_t seed) {
  std::vector<MulticastGroup> groups;
  const auto next = [&] {
    return MulticastGroup{Lid(static_cast<std::uint16_t>(0xC000 + groups.size())), {}, {}};
  };
  const auto add_all = [&](std::uint32_t from) {
    MulticastGroup group = next();
    for (std::uint32_t e = from; e < fabric.endport_count(); ++e)
      if (fabric.endport(EndportId(e)).sw != kNoSwitch) group.members.push_back(EndportId(e));
    groups.push_back(group);
  };
  add_all(fabric.switch_count());
  Rng rng(seed);
  for (const unsigned of : {2u, 4u, 4u, 8u, 8u, 16u, 16u, 16u}) {
    MulticastGroup group = next();
    const std::uint32_t first = of == 8 ? 0 : fabric.switch_count();
    for (std::uint32_t e = first; e < fabric.endport_count(); ++e) {
      if (fabric.endport(EndportId(e)).sw == kNoSwitch || rng.below(of) != 0) continue;
      (rng.below(8) == 0 ? group.senders : group.members).push_back(EndportId(e));
    }
    groups.push_back(group);
  }
  add_all(0);
  return groups;
}

}  // namespace weft
