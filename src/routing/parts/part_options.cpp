// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>

#include "routing/parts/parts.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;

/// For each id of the whole fabric, the id in the part, or kElsewhere.
template <class Id>
std::vector<std::uint32_t> inverse(const std::vector<Id>& ids, std::uint32_t size) {
  std::vector<std::uint32_t> result(size, kElsewhere);
  for (std::uint32_t i = 0; i < ids.size(); ++i) result[ids[i].value()] = i;
  return result;
}

/// The ids of a list that are in the part, in the order of the list.
template <class Id>
std::vector<Id> in_part(const std::vector<Id>& list, const std::vector<std::uint32_t>& part_id) {
  std::vector<Id> result;
  for (const Id id : list)
    if (part_id[id.value()] != kElsewhere) result.push_back(Id(part_id[id.value()]));
  return result;
}

/// The values of the ids of the part. An empty list, which stands for defaults, stays empty.
template <class Value, class Id>
std::vector<Value> values_of(const std::vector<Value>& values, const std::vector<Id>& ids) {
  std::vector<Value> result;
  if (values.empty()) return result;
  for (const Id id : ids) result.push_back(values[id.value()]);
  return result;
}

/// Replaces each rank by its position in the sorted list of ranks; the result is a permutation.
std::vector<std::uint32_t> without_gaps(std::vector<std::uint32_t> ranks) {
  std::vector<std::uint32_t> sorted = ranks;
  std::ranges::sort(sorted);
  for (std::uint32_t& rank : ranks)
    rank = static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, rank) - sorted.begin());
  return ranks;
}

Lfts tables_of_part(const Lfts& whole, const FabricPart& part) {
  Lfts lfts(part.fabric.switch_count(), part.fabric.lid_top());
  for (std::uint32_t s = 0; s < part.switches.size(); ++s)
    for (const Endport& to : part.fabric.endports())
      for (unsigned offset = 0; offset < lid_count(to); ++offset)
        lfts.set(SwitchId(s), lid_at(to, offset), whole.port(part.switches[s], lid_at(to, offset)));
  return lfts;
}

LidMatrix matrix_of_part(const LidMatrix& whole, const FabricPart& part) {
  LidMatrix matrix(part.fabric.switch_count());
  for (std::uint32_t from = 0; from < part.switches.size(); ++from)
    for (std::uint32_t to = 0; to < part.switches.size(); ++to) {
      const auto ports = whole.ports(part.switches[from], part.switches[to]);
      if (ports.empty()) continue;
      const std::uint16_t hops = whole.hops(part.switches[from], part.switches[to]);
      matrix.set(SwitchId(from), SwitchId(to), static_cast<std::uint8_t>(hops), ports);
    }
  return matrix;
}

}  // namespace

RoutingOptions options_of_part(const Fabric& whole, const FabricPart& part,
                               const RoutingOptions& options) {
  const auto switch_in_part = inverse(part.switches, whole.switch_count());
  const auto endport_in_part = inverse(part.endports, whole.endport_count());
  RoutingOptions result;
  result.threads = options.threads;
  result.seed = options.seed;
  result.vls_max = options.vls_max;
  result.ignore_replies = options.ignore_replies;
  result.balance = options.balance;
  result.roots = in_part(options.roots, switch_in_part);
  result.order = in_part(options.order, endport_in_part);
  result.connect_roots = options.connect_roots;
  result.compute_nodes = in_part(options.compute_nodes, endport_in_part);
  result.io_nodes = in_part(options.io_nodes, endport_in_part);
  result.node_weights = values_of(options.node_weights, part.endports);
  result.parameters = options.parameters;
  result.torus = options.torus;
  result.ignored = in_part(options.ignored, endport_in_part);
  result.hop_weights = values_of(options.hop_weights, part.channels);
  result.port_rank = values_of(options.port_rank, part.channels);
  result.switch_rank = without_gaps(values_of(options.switch_rank, part.switches));
  result.port_shifting = options.port_shifting;
  result.scatter_ports = options.scatter_ports;
  result.not_scattered = in_part(options.not_scattered, endport_in_part);
  if (options.lfts) result.lfts = tables_of_part(*options.lfts, part);
  if (options.lid_matrix) result.lid_matrix = matrix_of_part(*options.lid_matrix, part);
  result.calculate_missing_routes = options.calculate_missing_routes;
  if (options.adaptive) {
    result.adaptive = options.adaptive;
    result.adaptive->group_capacity = values_of(options.adaptive->group_capacity, part.switches);
    result.adaptive->notifies = values_of(options.adaptive->notifies, part.switches);
    result.adaptive->divides = values_of(options.adaptive->divides, part.switches);
    result.adaptive->forwarding_tables =
        values_of(options.adaptive->forwarding_tables, part.switches);
  }
  if (options.previous) result.previous = tables_of_part(*options.previous, part);
  result.previous_engine = options.previous_engine;
  return result;
}

}  // namespace weft
