// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/carry_over.h"

#include <algorithm>
#include <vector>

namespace weft {
namespace {

/// By LID of `after`, the LID in `before`; 0 if there was none.
std::vector<std::uint16_t> lids_before(const Fabric& before, const Fabric& after) {
  std::vector<std::uint16_t> lids(std::size_t{after.lid_top().value()} + 1, 0);
  for (const Endport& now : after.endports()) {
    const auto found = before.find_endport(after.port(now.port).guid);
    if (!found || now.lid == kLidNone) continue;
    const Endport& then = before.endport(*found);
    if (then.lid == kLidNone) continue;
    for (unsigned i = 0; i < 1u << std::min(now.lmc, then.lmc); ++i)
      lids[now.lid.value() + i] = static_cast<std::uint16_t>(then.lid.value() + i);
  }
  return lids;
}

}  // namespace

Lfts carry_over(const Fabric& before, const Lfts& lfts, const Fabric& after) {
  const auto lids = lids_before(before, after);
  Lfts result(after.switch_count(), after.lid_top());
  for (std::uint32_t s = 0; s < after.switch_count(); ++s) {
    const auto then = before.find_node(after.node(SwitchId(s)).node_guid);
    if (!then || !before.is_switch(*then)) continue;
    const SwitchId old(then->value());
    for (std::size_t lid = 1; lid < lids.size(); ++lid)
      if (lids[lid] != 0)
        result.set(SwitchId(s), Lid(static_cast<std::uint16_t>(lid)),
                   lfts.port(old, Lid(lids[lid])));
  }
  return result;
}

}  // namespace weft
