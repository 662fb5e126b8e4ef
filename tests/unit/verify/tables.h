// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables for tests of the verifier, and their verification as plain and as adaptive routes.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft {

/// All LIDs of an endport.
inline std::vector<Lid> lids_of(const Endport& endport) {
  std::vector<Lid> lids;
  for (unsigned i = 0; i < 1u << endport.lmc; ++i)
    lids.emplace_back(static_cast<std::uint16_t>(endport.lid.value() + i));
  return lids;
}

/// Unicast routes of a fabric: the first shortest path to each LID of endports at switches.
inline Routes shortest_routes(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    if (to.sw == kNoSwitch) continue;
    std::vector<unsigned> hops(fabric.switch_count(), 1000);
    hops[to.sw.value()] = 0;
    for (const Lid lid : lids_of(to)) routes.lfts.set(to.sw, lid, to.sw_port);
    for (unsigned round = 0; round < fabric.switch_count(); ++round)
      for (const Channel& channel : fabric.channels()) {
        if (hops[channel.to.value()] + 1 >= hops[channel.from.value()]) continue;
        hops[channel.from.value()] = hops[channel.to.value()] + 1;
        for (const Lid lid : lids_of(to)) routes.lfts.set(channel.from, lid, channel.from_port);
      }
  }
  return routes;
}

/// Calls check(verdict) for the plain tables, and for adaptive routes with these tables and no
/// group.
template <class Check>
void expect_either_way(const Fabric& fabric, Routes routes, const VerifyOptions& options,
                       const Check& check) {
  {
    SCOPED_TRACE("without adaptive routing");
    check(verify(fabric, routes, options));
  }
  SCOPED_TRACE("with adaptive routing");
  routes.adaptive.emplace(fabric.switch_count(), fabric.lid_top());
  check(verify(fabric, routes, options));
}

}  // namespace weft
