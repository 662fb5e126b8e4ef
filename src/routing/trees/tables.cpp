// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/tables.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "routing/trees/rows.h"

namespace weft::ftree {
namespace {

// Destinations in a block: the hop counts to them from all switches of a large fabric fit into the
// cache.
constexpr std::uint32_t kBlock = 1024;

}  // namespace

Result<Lfts> fill_tables(const Tree& tree, const Destinations& destinations,
                         const EquivalentSwitches& equivalents, Paths paths, Lid top,
                         unsigned threads, const VisitHops& visit) {
  threads = threads_worth(std::uint64_t{tree.size()} * destinations.lid.size(), threads);
  Lfts lfts = Lfts::unwritten(tree.size(), top);
  const Rows rows(tree, destinations, equivalents);
  std::vector<DistributedLids> distributed(equivalents.sets());
  Hops hops(tree, equivalents, paths, std::min(kBlock, equivalents.sets()));
  for (std::uint32_t first = 0; first < equivalents.sets(); first += kBlock) {
    const std::uint32_t count = std::min(kBlock, equivalents.sets() - first);
    hops.compute(first, count, threads);
    if (visit)
      if (auto status = visit(first, count, hops); !status) return forward(status);
    parallel_for(
        equivalents.sets(), threads,
        [&](std::size_t i) {
          const auto set = static_cast<std::uint32_t>(i);
          const auto row = lfts.row(SwitchId(equivalents.first(set)));
          rows.fill(set, first, count, hops, row, distributed[i]);
          if (first + count < equivalents.sets()) return;
          for (const std::uint32_t sw : equivalents.members(set).subspan(1))
            rows.copy(sw, paths, row, distributed[i], lfts.row(SwitchId(sw)));
        },
        4);
  }
  return lfts;
}

}  // namespace weft::ftree
