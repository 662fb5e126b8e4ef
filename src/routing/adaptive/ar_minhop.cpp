// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/ar_minhop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "routing/adaptive/choice_layers.h"
#include "routing/adaptive/minhop_choices.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/pair_layers.h"

namespace weft {
namespace {

constexpr const char* kTooFew = "{0} needs more than {1} virtual lanes, found {1}";

/// By destination and switch, the trunk to the next hop for the first LID of the destination; any
/// possible next hop if the tables have none.
std::vector<std::uint32_t> first_trunks(const Fabric& fabric, const MinhopChoices& choices,
                                        const Lfts& lfts) {
  const std::uint32_t switches = fabric.switch_count();
  std::vector<std::uint32_t> trunks(std::size_t{switches} * switches, BasePaths::kNoTrunk);
  for (const Destination& destination : choices.order()) {
    const std::uint32_t to = destination.sw.value();
    const auto first = std::ranges::find_if(
        destination.endports, [&](EndportId id) { return fabric.endport(id).addressed(); });
    for (std::uint32_t s = 0; s < switches; ++s) {
      std::uint32_t& trunk = trunks[std::size_t{to} * switches + s];
      choices.dags().each(s, to, [&](std::uint32_t any) {
        trunk = any;
        return false;
      });
      if (s == to || first == destination.endports.end()) continue;
      const PortNum port = lfts.port(SwitchId(s), fabric.endport(*first).lid);
      const ChannelId channel =
          port == kNoRoute ? kNoChannel : fabric.channel_at(SwitchId(s), port);
      if (channel != kNoChannel && choices.dags().has(to, choices.trunk_of(channel)))
        trunk = choices.trunk_of(channel);
    }
  }
  return trunks;
}

/// Returns one path for each pair of switches. With weights or a LID matrix, the paths are those of
/// the tables and their layers are unknown, because layers are computed for paths with the fewest
/// hops.
Result<BasePaths> base_paths(const Fabric& fabric, const Turns& turns,
                             const ArMinhopOptions& options, std::string_view engine,
                             const MinhopChoices& choices, const Lfts& lfts) {
  if (options.lid_matrix != nullptr || !options.hop_weights.empty())
    return BasePaths{first_trunks(fabric, choices, lfts), {}};
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  auto layered = make_pair_layers(fabric, turns, choices.order(), lanes, options.threads);
  if (!layered) return fail(Code::kOutOfVls, kTooFew, engine, lanes);
  if (layered->count > lanes)
    return fail(Code::kOutOfVls, "{} needs {} virtual lanes, found {}", engine, layered->count,
                lanes);
  return BasePaths{first_trunks(fabric, choices, layered->lfts), std::move(layered->of_pair)};
}

/// By switch: whether the switch has AR groups, and a forwarding table for each lane.
std::vector<bool> switches_with_tables(const Fabric& fabric, const AdaptiveOptions* adaptive,
                                       unsigned lanes) {
  std::vector<bool> found(fabric.switch_count(), true);
  if (adaptive == nullptr) return found;
  if (adaptive->algorithm == ArAlgorithm::kLag) return std::vector<bool>(found.size(), false);
  const auto& groups = adaptive->group_capacity;
  const auto& tables = adaptive->forwarding_tables;
  for (std::size_t s = 0; s < found.size(); ++s)
    found[s] = (groups.empty() || groups[s] > 0) && (tables.empty() || tables[s] >= lanes);
  return found;
}

/// Number of next hops of all switches toward all others, each in the table of the lane of the
/// pair.
std::uint64_t count_next_hops(std::span<const std::uint8_t> lane_of_pair, ChoiceDags& dags) {
  std::uint64_t found = 0;
  for (std::uint32_t to = 0; to < dags.switches(); ++to)
    for (std::uint32_t from = 0; from < dags.switches(); ++from) {
      const unsigned lane =
          dags.tables() == 1 ? 0u : lane_of_pair[std::size_t{to} * dags.switches() + from];
      if (from != to) found += dags.next_hops(from, to, lane);
    }
  return found;
}

}  // namespace

ArMinhopOptions ArMinhopOptions::from(const RoutingOptions& all) {
  return {WithGroups<MinhopOptions>::from(all), all.vls_max, false};
}

Result<LanesOfChoices> assign_choice_lanes(const Fabric& fabric, const ArMinhopOptions& options,
                                           std::string_view engine, const Lfts& lfts,
                                           MinhopChoices& choices) {
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  const std::uint64_t all = count_next_hops({}, choices.dags());
  const Turns turns(fabric);
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    hosts.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
  ChoiceLayers layers(turns, choices.trunks(), hosts, choices.dags(), lanes);
  if (!layers.settle_all()) {
    const auto base = base_paths(fabric, turns, options, engine, choices, lfts);
    if (!base) return forward(base);
    if (options.table_by_lane && lanes > 1) {
      std::vector<bool> has_tables = switches_with_tables(fabric, options.adaptive, lanes);
      if (std::ranges::find(has_tables, true) != has_tables.end())
        choices.dags().separate(lanes, std::move(has_tables));
    }
    if (!layers.settle_with(*base)) return fail(Code::kOutOfVls, kTooFew, engine, lanes);
  }
  const std::uint64_t kept = count_next_hops(layers.of_pair(), choices.dags());
  return LanesOfChoices{layers.count(), layers.of_pair(), all, all - kept};
}

Result<Routes> route_with_lanes(const Fabric& fabric, const ArMinhopOptions& options,
                                std::string_view engine) {
  auto routes = route_minhop(fabric, options);
  if (!routes) return routes;
  routes->engine = engine;
  if (options.adaptive != nullptr && !options.adaptive->enabled) return routes;
  MinhopChoices choices(fabric, options);
  auto lanes = assign_choice_lanes(fabric, options, engine, routes->lfts, choices);
  if (!lanes) return forward(lanes);
  if (lanes->left_out > 0) {
    routes->lfts = choices.tables();
    routes->notes.push_back(
        fmt::format("adaptive routing: {} of {} next hops are in no group, because on {} virtual "
                    "lanes they would close a cycle",
                    lanes->left_out, lanes->next_hops, lanes_available(fabric, options.vls_max)));
  }
  routes->vls = routes->vls_needed = lanes->count;
  routes->sl2vl = Sl2Vl(modulo_map(lanes->count));
  if (lanes->count > 1)
    routes->path_sl = PathSl::by_switch_pair(fabric.switch_count(), std::move(lanes->of_pair));
  choices.add_groups(lanes->count, *routes);
  return routes;
}

Result<Routes> route_ar_minhop(const Fabric& fabric, const ArMinhopOptions& options) {
  return route_with_lanes(fabric, options, "ar_minhop");
}

}  // namespace weft
