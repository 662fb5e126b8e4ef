// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/rails.h"

#include <algorithm>

#include "base/check.h"
#include "fabric/servers.h"

namespace weft {
namespace {

/// The adapter_port() that more than half of the CA ports of a switch have, else 0. Only the value
/// that remains after removal of pairs of different values can be this value (Boyer and Moore,
/// "MJRTY", 1991). `values` is memory for the values, overwritten.
std::uint32_t common_adapter_port(const Fabric& fabric, SwitchId sw,
                                  std::vector<std::uint32_t>& values) {
  values.clear();
  std::uint32_t left = 0;
  std::size_t lead = 0;
  for (const EndportId id : fabric.endports_at(sw)) {
    const std::uint32_t value = adapter_port(fabric, fabric.endport(id));
    if (lead == 0) left = value;
    value == left ? ++lead : --lead;
    values.push_back(value);
  }
  const auto found = static_cast<std::size_t>(std::ranges::count(values, left));
  return 2 * found > values.size() ? left : 0;
}

}  // namespace

std::uint32_t adapter_port(const Fabric& fabric, const Endport& endport) {
  const Node& node = fabric.node(endport.node);
  return adapter_number(node.description).value_or(0) * node.port_count +
         fabric.port(endport.port).num.value() - 1;
}

Rails rails_of(const Fabric& fabric) {
  Rails rails{std::vector<std::uint32_t>(fabric.switch_count(), 0)};
  std::vector<std::uint32_t> values, found;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    rails.of[s] = common_adapter_port(fabric, SwitchId(s), values);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) found.push_back(rails.of[s]);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (std::uint32_t& rail : rails.of)
    rail = static_cast<std::uint32_t>(std::ranges::lower_bound(found, rail) - found.begin());
  rails.count = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(found.size()));
  return rails;
}

void order_by_rail(std::span<const EndportId> cas, std::uint32_t rail, std::uint64_t first,
                   std::uint32_t spines, std::size_t places, std::vector<EndportId>& order) {
  CHECK(places >= cas.size());
  order.assign(places, kNoEndport);
  if (spines == 0) {
    std::ranges::copy(cas, order.begin());
    return;
  }
  // By path: the next place with this path. Places with one path are `spines` apart.
  std::vector<std::size_t> next(spines);
  for (std::uint32_t i = 0; i < spines; ++i) next[(first + i) % spines] = i;
  std::vector<EndportId> left;
  for (std::size_t j = 0; j < cas.size(); ++j) {
    std::size_t& place = next[(j + rail) % spines];
    if (place < places) {
      order[place] = cas[j];
      place += spines;
    } else {
      left.push_back(cas[j]);
    }
  }
  auto free = order.begin();
  for (const EndportId id : left) {
    free = std::find(free, order.end(), kNoEndport);
    *free = id;
  }
}

}  // namespace weft
