// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/carry_over.h"

#include <algorithm>
#include <vector>

#include "fabric/changes.h"
#include "fabric/port_guids.h"

namespace weft {
namespace {

/// Returns, by LID of `after`, the LID of the same port in `before`; 0 if the port had none.
std::vector<std::uint16_t> lids_before(const Fabric& before, const Fabric& after) {
  std::vector<std::uint16_t> lids(std::size_t{after.lid_top().value()} + 1, 0);
  for (const Endport& now : after.endports()) {
    const auto found = find_endport_of(before, after.port(now.port));
    if (!found || now.lid == kLidNone) continue;
    const Endport& then = before.endport(*found);
    if (then.lid == kLidNone) continue;
    for (unsigned i = 0; i < 1u << std::min(now.lmc, then.lmc); ++i)
      lids[now.lid.value() + i] = static_cast<std::uint16_t>(then.lid.value() + i);
  }
  return lids;
}

/// A range of LIDs that are consecutive in both fabrics.
struct Run {
  std::size_t now, before, count;
};

std::vector<Run> runs_of(const std::vector<std::uint16_t>& lids_before,
                         std::size_t entries_before) {
  std::vector<Run> runs;
  for (std::size_t lid = 1; lid < lids_before.size(); ++lid) {
    const std::size_t before = lids_before[lid];
    if (before == 0 || before >= entries_before) continue;
    if (!runs.empty() && runs.back().now + runs.back().count == lid &&
        runs.back().before + runs.back().count == before)
      ++runs.back().count;
    else
      runs.push_back({lid, before, 1});
  }
  return runs;
}

}  // namespace

SharedLfts carry_over(const Fabric& before, const SharedLfts& lfts, const Fabric& after) {
  if (lfts->top() == after.lid_top() && have_same_endports(before, after)) return lfts;
  return carry_over(before, *lfts, after);
}

Lfts carry_over(const Fabric& before, const Lfts& lfts, const Fabric& after) {
  const auto runs = runs_of(lids_before(before, after), lfts.blocks() * kLftBlock);
  Lfts result = Lfts::unwritten(after.switch_count(), after.lid_top());
  for (std::uint32_t s = 0; s < after.switch_count(); ++s) {
    const auto to = result.row(SwitchId(s));
    // The row is filled right before the copy, so that it is in the cache.
    std::ranges::fill(to, kNoRoute.value());
    const auto then = before.find_node(after.node(SwitchId(s)).node_guid);
    if (!then || !before.is_switch(*then)) continue;
    const auto from = lfts.row(SwitchId(then->value()));
    for (const Run& run : runs)
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(run.before), run.count,
                  to.begin() + static_cast<std::ptrdiff_t>(run.now));
  }
  return result;
}

}  // namespace weft
