// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/nue.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "routing/balance/spread.h"
#include "routing/nue/dimension_order.h"
#include "routing/nue/lane_paths.h"
#include "routing/nue/lane_plan.h"
#include "routing/nue/layer.h"
#include "routing/nue/layer_assignment.h"
#include "routing/nue/layer_paths.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/degraded_links.h"
#include "routing/tables/destinations.h"
#include "routing/trees/tree_form.h"

namespace weft {
namespace {

/// Number of data VLs that every cabled port supports.
unsigned lanes_of(const Fabric& fabric) {
  unsigned lanes = kDataVlCount;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)))
      if (port.peer != kNoPort) lanes = std::min<unsigned>(lanes, port.data_vls);
  return std::max(1u, lanes);
}

unsigned layers_wanted(const Fabric& fabric, const NueOptions& options) {
  const unsigned most = std::min(lanes_of(fabric), std::max(1u, options.vls_max));
  return options.vls == 0 ? most : std::min(options.vls, most);
}

/// Reusable objects for the threads that make DAGs: a LayerPaths or LanePaths for each thread.
template <class Paths>
class PathsPool {
 public:
  explicit PathsPool(std::function<std::unique_ptr<Paths>()> make) : make_(std::move(make)) {}

  std::unique_ptr<Paths> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return make_();
    auto paths = std::move(free_.back());
    free_.pop_back();
    return paths;
  }
  void give_back(std::unique_ptr<Paths> paths) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(paths));
  }

 private:
  std::function<std::unique_ptr<Paths>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Paths>> free_;
};

/// Limit of the channels of all stored DAGs, as if each DAG had all channels. A next hop needs 8
/// bytes.
constexpr std::uint64_t kChannelsMost = 20'000'000;
constexpr std::size_t kDagsAtOnce = 8;

/// Every destination with hosts, reduced to half of its hosts, which is sufficient for an estimate
/// of the load.
std::vector<Destination> half_of_hosts(const Fabric& fabric, std::span<const Destination> order) {
  std::vector<Destination> half;
  for (const Destination& destination : order) {
    const auto hosts =
        static_cast<std::size_t>(std::ranges::count_if(destination.endports, [&](EndportId id) {
          return !fabric.is_switch(fabric.endport(id).node);
        }));
    if (hosts == 0) continue;
    half.push_back(destination);
    half.back().endports.resize((hosts + 1) / 2);
  }
  return half;
}

/// The destinations with switches of weight 0. Even a full layer may forbid shortest paths to them.
std::vector<Destination> without_weight(std::span<const Destination> order,
                                        std::span<const std::uint32_t> weight) {
  std::vector<Destination> rest;
  for (const Destination& destination : order)
    if (weight[destination.sw.value()] == 0) rest.push_back(destination);
  return rest;
}

void copy_columns(const Fabric& fabric, std::span<const Destination> destinations, const Lfts& from,
                  Lfts& to) {
  for (const Destination& destination : destinations)
    for (const EndportId id : destination.endports)
      for (unsigned offset = 0; offset < lid_count(fabric.endport(id)); ++offset) {
        const Lid lid = lid_at(fabric.endport(id), offset);
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
          to.set(SwitchId(s), lid, from.port(SwitchId(s), lid));
      }
}

/// As spread(). If destinations are counted first, each DAG is used twice, so all threads make the
/// DAGs in advance, unless their channels exceed kChannelsMost.
Lfts spread_paths(const Fabric& fabric, std::span<const Destination> order,
                  const DagMaker& make_dag, const SpreadOptions& options, unsigned threads,
                  std::span<const Destination> counted_first) {
  const std::uint64_t channels = std::uint64_t{fabric.switch_count()} * fabric.channel_count();
  if (counted_first.empty() || channels > kChannelsMost)
    return spread(fabric, order, make_dag, options, counted_first);
  std::vector<HopDag> dags(fabric.switch_count());
  parallel_blocks(dags.size(), kDagsAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    HopDag dag;
    dag.prefer(options.port_rank);
    for (std::size_t to = begin; to < end; ++to) {
      make_dag(SwitchId(static_cast<std::uint32_t>(to)), dag);
      dags[to] = dag.finished();
    }
  });
  return spread(fabric, order, dags, options, counted_first);
}

/// The allowed paths of each lane, and the lanes of the paths.
struct Lanes {
  DagMaker make_dag;
  PathSl path_sl;
  bool full = true;      // allows every shortest path to a destination with a weight
  bool crowded = false;  // detours use mostly links near a root
};

template <class Paths, class Make, class Grow>
DagMaker dag_maker(const Make& make, const Grow& grow) {
  auto pool = std::make_shared<PathsPool<Paths>>(make);
  return [pool, grow](SwitchId to, HopDag& dag) {
    auto paths = pool->take();
    grow(*paths, to.value());
    paths->fill(dag);
    pool->give_back(std::move(paths));
  };
}

/// SLs by destination: the SL is the group of the destination switch.
PathSl sl_by_group(const Fabric& fabric, std::span<const Destination> order,
                   std::span<const std::uint32_t> group) {
  std::vector<std::uint8_t> sl_of_lid(std::size_t{fabric.lid_top().value()} + 1, 0);
  for (const Destination& destination : order)
    for (const EndportId id : destination.endports)
      for (unsigned offset = 0; offset < lid_count(fabric.endport(id)); ++offset)
        sl_of_lid[lid_at(fabric.endport(id), offset).value()] =
            static_cast<std::uint8_t>(group[destination.sw.value()]);
  return PathSl::by_destination(std::move(sl_of_lid));
}

/// A lane for each group of destinations, with an order for the paths to them.
Lanes lanes_by_destination(const nue::Arcs& arcs, std::span<const std::uint32_t> weight,
                           const std::vector<std::uint32_t>& group, unsigned count,
                           unsigned threads, std::uint64_t seed) {
  std::vector<std::vector<std::uint32_t>> held(count);
  for (std::uint32_t s = 0; s < arcs.switches; ++s) held[group[s]].push_back(s);
  auto layers = std::make_shared<std::vector<nue::Layer>>(count);
  const unsigned inner = count > 1 ? 1 : threads;
  parallel_for(count, threads, [&](std::size_t i) {
    (*layers)[i] = nue::make_layer(arcs, weight, held[i], inner, Rng(seed).fork(i));
  });
  Lanes lanes;
  lanes.full = std::ranges::all_of(*layers, &nue::Layer::full);
  lanes.crowded = std::ranges::any_of(*layers, &nue::Layer::crowded);
  lanes.make_dag =
      dag_maker<nue::LayerPaths>([&arcs] { return std::make_unique<nue::LayerPaths>(arcs); },
                                 [layers, &group](nue::LayerPaths& paths, std::uint32_t to) {
                                   paths.grow((*layers)[group[to]].ranking, to);
                                 });
  return lanes;
}

/// One order for all lanes, so that its paths may use any lane.
Lanes lanes_of_one_order(const nue::Arcs& arcs, nue::Layer layer) {
  Lanes lanes;
  lanes.full = layer.full;
  lanes.crowded = layer.crowded;
  auto ranking = std::make_shared<nue::Ranking>(std::move(layer.ranking));
  lanes.make_dag = dag_maker<nue::LayerPaths>(
      [&arcs] { return std::make_unique<nue::LayerPaths>(arcs); },
      [ranking](nue::LayerPaths& paths, std::uint32_t to) { paths.grow(*ranking, to); });
  return lanes;
}

/// True if a plan is not much better than one order for all lanes. `open`: pairs for which no lane
/// of the plan has a shortest path in both directions. These pairs use mostly the escape tree, as
/// on large tori.
bool gains_too_little(const nue::Arcs& arcs, std::span<const std::uint32_t> weight,
                      std::uint64_t open, const nue::Layer& one_order, unsigned threads) {
  return 5 * open > 3 * nue::detours(arcs, weight, one_order.ranking, threads);
}

/// One lane for each pair of switches, in both directions.
Lanes lanes_by_pair(const nue::Arcs& arcs, std::span<const std::uint32_t> weight,
                    std::span<const std::uint32_t> group, unsigned count, unsigned threads,
                    std::uint64_t seed) {
  // If more than 1 in kOpenShare pairs has no lane with a shortest path in both directions, one
  // order for all lanes may be better.
  constexpr std::uint64_t kOpenShare = 12;
  const Rng rng(seed);
  const auto preferred = nue::lanes_of_groups(group, count);
  const auto use_one_order = [&](nue::Layer layer) {
    Lanes lanes = lanes_of_one_order(arcs, std::move(layer));
    lanes.path_sl = PathSl::by_switch_pair(arcs.switches, preferred);
    return lanes;
  };
  const auto make_one_order = [&] {
    std::vector<std::uint32_t> all(arcs.switches);
    std::iota(all.begin(), all.end(), 0u);
    return nue::make_layer(arcs, weight, all, threads, rng);
  };
  if (!nue::fits_pairs(arcs)) return use_one_order(make_one_order());
  nue::Start start = nue::start_for_all(arcs, weight, threads, rng);
  if (start.detours == 0) {
    nue::Layer layer = make_one_order();
    if (layer.full || nue::detours(arcs, weight, layer.ranking, threads) == 0)
      return use_one_order(std::move(layer));
  }
  struct Kept {
    nue::Escape escape;
    nue::LanePlan plan;
  };
  auto kept = std::make_shared<Kept>();
  kept->plan = nue::plan_lanes(arcs, weight, start.escape, preferred, count, threads, rng);
  kept->escape = std::move(start.escape);
  const std::uint64_t sent = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
  if (const std::uint64_t open = kept->plan.pairs.open; open * kOpenShare > sent * sent) {
    nue::Layer layer = make_one_order();
    if (gains_too_little(arcs, weight, open, layer, threads))
      return use_one_order(std::move(layer));
  }
  Lanes lanes;
  lanes.full = false;
  lanes.crowded = start.detours > 0;
  lanes.path_sl = PathSl::by_switch_pair(arcs.switches, kept->plan.pairs.lane);
  lanes.make_dag = dag_maker<nue::LanePaths>(
      [&arcs, kept] {
        return std::make_unique<nue::LanePaths>(arcs, kept->plan.orders, kept->plan.pairs,
                                                kept->escape);
      },
      [kept](nue::LanePaths& paths, std::uint32_t to) { paths.grow(to); });
  return lanes;
}

}  // namespace

NueOptions NueOptions::from(const RoutingOptions& all) {
  return {SpreadOptions::from(all),
          all.seed,
          all.vls_max,
          all.ignore_replies,
          all.parameters.of(kNueVls),
          all.parameters.of(kNueSwitches) != 0,
          all.parameters.of(kReweight),
          all.hop_weights,
          all.routes_before_passes()};
}

Result<Routes> route_nue(const Fabric& fabric, const NueOptions& options) {
  const auto left_out = avoidable_degraded_links(fabric, options.hop_weights);
  const nue::Arcs arcs(fabric, left_out);
  const auto weight = nue::switch_weights(fabric, options.include_switches);
  const unsigned count = layers_wanted(fabric, options);
  const auto group = nue::assign_layers(arcs, weight, count, options.seed);
  const auto order = destinations(fabric, options.order);
  // Starting threads takes most of a millisecond, so their number depends on the work of all
  // stages.
  const unsigned threads =
      threads_worth(std::uint64_t{arcs.switches} * arcs.count(), options.threads);

  Lanes lanes;
  if (auto by_dimension = nue::dimension_order(fabric, arcs)) {
    lanes = lanes_of_one_order(arcs, {nue::Ranking(arcs, std::move(*by_dimension)), false, false});
    if (count > 1)
      lanes.path_sl = PathSl::by_switch_pair(arcs.switches, nue::lanes_of_groups(group, count));
  } else if (count > 1 && !options.ignore_replies) {
    lanes = lanes_by_pair(arcs, weight, group, count, threads, options.seed);
  } else {
    lanes = lanes_by_destination(arcs, weight, group, count, threads, options.seed);
    if (count > 1) lanes.path_sl = sl_by_group(fabric, order, group);
  }

  Routes routes;
  routes.engine = "nue";
  routes.vls = count;
  routes.sl2vl = Sl2Vl(modulo_map(count));
  routes.path_sl = std::move(lanes.path_sl);
  std::vector<Destination> counted_first;
  if (lanes.crowded) counted_first = half_of_hosts(fabric, order);
  // On a nearly regular tree the closed form (trees/tree_form.h) has the best balance.
  std::optional<Lfts> by_form;
  if (std::ranges::find(left_out, true) == left_out.end() && lanes.full)
    by_form = tree_form(fabric, WeightedOptions{options, {}});
  if (by_form) {
    routes.lfts = std::move(*by_form);
    const auto rest = without_weight(order, weight);
    const Lfts others = spread(fabric, rest, lanes.make_dag, options);
    copy_columns(fabric, rest, others, routes.lfts);
    reweight::store_before_passes(routes, options.reweight, options.before_passes);
  } else {
    routes.lfts = spread_paths(fabric, order, lanes.make_dag, options, threads, counted_first);
    reweight::store_before_passes(routes, options.reweight, options.before_passes);
    reweight::reweigh_tables(fabric, order, lanes.make_dag, WeightedOptions{options, {}},
                             options.reweight, routes.lfts);
  }
  return routes;
}

}  // namespace weft
