// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/blocks.h"

#include <algorithm>

namespace weft {
namespace {

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Result<HostBlocks> blocks_of(const HostGroups& groups, std::optional<std::uint32_t> block_size,
                             std::vector<std::string>& warnings) {
  std::vector<std::size_t> sizes;
  for (const HostUnit& unit : groups.units) sizes.push_back(unit.hosts.size());
  std::ranges::sort(sizes);
  if (sizes.empty()) return fail(Code::kBadInput, "no blocks: the fabric has no hosts");
  const std::size_t middle = sizes[sizes.size() / 2];
  const std::size_t size =
      block_size ? *block_size
                 : *std::ranges::find_if(sizes, [&](std::size_t n) { return 2 * n >= middle; });
  HostBlocks found;
  for (const HostUnit& unit : groups.units) {
    if (unit.hosts.size() >= size) {
      found.blocks.push_back(&unit);
      continue;
    }
    found.too_small.push_back(&unit);
    warnings.push_back(fmt::format("block {} has {}, fewer than {}: left out", unit.name,
                                   plural(unit.hosts.size(), "host"), size));
  }
  if (found.blocks.empty())
    return fail(Code::kBadInput, "no block has {} hosts: the largest has {}", size, sizes.back());
  for (std::size_t many = 1; many <= found.blocks.size(); many *= 2)
    found.sizes.push_back(size * many);
  return found;
}

}  // namespace weft
