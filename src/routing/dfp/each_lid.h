// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls body(lid, channels, switches) for each assigned LID, with the next hops of all switches.
#pragma once

#include <optional>

#include "routes/next_hops.h"
#include "routing/tables/pair_paths.h"

namespace weft::dfp {

template <class Body>
void each_lid(const Fabric& fabric, const Lfts& lfts, const Body& body) {
  const PortMap map(fabric);
  NextHops hops(map);
  std::optional<std::size_t> loaded;
  for (std::uint32_t value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || !fabric.endport(owner).addressed()) continue;
    if (const std::size_t block = value / kLftBlock; loaded != block) {
      hops.load(lfts, block);
      loaded = block;
    }
    body(lid, hops.channels(lid), hops.switches(lid));
  }
}

}  // namespace weft::dfp
