#include "routing/ftree/tables.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "routing/ftree/rows.h"

namespace weft::ftree {
namespace {

// Destinations in a block: their hops from all switches of a large fabric fit in the cache.
constexpr std::uint32_t kBlock = 1024;

}  // namespace

Result<Lfts> fill_tables(const Tree& tree, const Destinations& destinations, const Twins& twins,
                         Paths paths, Lid top, unsigned threads, const LookAtHops& look) {
  threads = threads_worth(std::uint64_t{tree.size()} * destinations.lid.size(), threads);
  Lfts lfts = Lfts::unwritten(tree.size(), top);
  const Rows rows(tree, destinations, twins);
  std::vector<DealtOut> dealt(twins.sets());
  Hops hops(tree, twins, paths, std::min(kBlock, twins.sets()));
  for (std::uint32_t first = 0; first < twins.sets(); first += kBlock) {
    const std::uint32_t count = std::min(kBlock, twins.sets() - first);
    hops.compute(first, count, threads);
    if (look)
      if (auto status = look(first, count, hops); !status) return forward(status);
    parallel_for(
        twins.sets(), threads,
        [&](std::size_t i) {
          const auto set = static_cast<std::uint32_t>(i);
          const auto row = lfts.row(SwitchId(twins.first(set)));
          rows.fill(set, first, count, hops, row, dealt[i]);
          if (first + count < twins.sets()) return;
          for (const std::uint32_t sw : twins.members(set).subspan(1))
            rows.copy(sw, paths, row, dealt[i], lfts.row(SwitchId(sw)));
        },
        4);
  }
  return lfts;
}

}  // namespace weft::ftree
