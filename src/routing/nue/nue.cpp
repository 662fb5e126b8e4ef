#include "routing/nue/nue.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "routing/nue/layer.h"
#include "routing/nue/partition.h"
#include "routing/nue/ways.h"
#include "routing/shared/destinations.h"
#include "routing/shared/spread.h"
#include "routing/shared/throttled.h"
#include "routing/shared/tree_form.h"

namespace weft {
namespace {

/// Data VLs that every cabled port can operate.
unsigned lanes_of(const Fabric& fabric) {
  unsigned lanes = kDataVlCount;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)))
      if (port.peer != kNoPort) lanes = std::min<unsigned>(lanes, port.data_vls);
  return std::max(1u, lanes);
}

unsigned layers_wanted(const Fabric& fabric, const RoutingOptions& options) {
  const unsigned most = std::min(lanes_of(fabric), std::max(1u, options.vls_max));
  return options.nue_vls == 0 ? most : std::min(options.nue_vls, most);
}

/// Scratch memory for whichever threads ask.
class WaysPool {
 public:
  explicit WaysPool(const nue::Arcs& arcs) : arcs_(arcs) {}

  std::unique_ptr<nue::Ways> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return std::make_unique<nue::Ways>(arcs_);
    auto ways = std::move(free_.back());
    free_.pop_back();
    return ways;
  }
  void give_back(std::unique_ptr<nue::Ways> ways) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(ways));
  }

 private:
  const nue::Arcs& arcs_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<nue::Ways>> free_;
};

constexpr std::uint64_t kChannelsMost =
    1'000'000;  // in all DAGs that are kept, a few dozen bytes each
constexpr std::size_t kDagsAtOnce = 8;

/// Every destination with half of its hosts: enough to tell what everyone has to load.
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

/// Switches without hosts: a layer that is full may still forbid shortest paths to these.
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

/// As spread(). With a rehearsal each DAG is looked at twice, and so made once, by all threads.
Lfts spread_ways(const Fabric& fabric, std::span<const Destination> order, const DagMaker& make_dag,
                 const RoutingOptions& options, unsigned threads,
                 std::span<const Destination> rehearsal) {
  const std::uint64_t channels = std::uint64_t{fabric.switch_count()} * fabric.channel_count();
  if (rehearsal.empty() || channels > kChannelsMost)
    return spread(fabric, order, make_dag, options, rehearsal);
  std::vector<HopDag> dags(fabric.switch_count());
  parallel_blocks(dags.size(), kDagsAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    HopDag dag;
    dag.prefer(options.port_rank);
    for (std::size_t to = begin; to < end; ++to) {
      make_dag(SwitchId(static_cast<std::uint32_t>(to)), dag);
      dags[to] = dag.finished();
    }
  });
  return spread(fabric, order, dags, options, rehearsal);
}

}  // namespace

Result<Routes> route_nue(const Fabric& fabric, const RoutingOptions& options) {
  const auto left_out = needless_throttled(fabric, options.hop_weights);
  const nue::Arcs arcs = nue::make_arcs(fabric, left_out);
  const auto weight = nue::switch_weights(fabric, options.nue_include_switches);
  const unsigned count = layers_wanted(fabric, options);
  const auto layer_of = nue::partition(arcs, weight, count, options.seed);
  std::vector<std::vector<std::uint32_t>> held(count);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) held[layer_of[s]].push_back(s);

  std::vector<nue::Layer> layers(count);
  // Other threads take most of a millisecond to start: what all stages take together counts.
  const unsigned threads =
      threads_worth(std::uint64_t{arcs.switches} * arcs.count(), options.threads);
  const unsigned inner = count > 1 ? 1 : threads;
  parallel_for(count, threads, [&](std::size_t i) {
    layers[i] = nue::make_layer(arcs, weight, held[i], inner, Rng(options.seed).fork(i));
  });

  Routes routes;
  routes.engine = "nue";
  routes.vls = count;
  routes.sl2vl = Sl2Vl(modulo_map(count));
  const auto order = destinations(fabric, options.order);
  std::vector<Destination> rehearsal;
  if (std::ranges::any_of(layers, &nue::Layer::crowded)) rehearsal = half_of_hosts(fabric, order);
  WaysPool pool(arcs);
  const auto make_dag = [&](SwitchId to, HopDag& dag) {
    auto ways = pool.take();
    ways->grow(layers[layer_of[to.value()]].ranking, to.value());
    ways->fill(dag);
    pool.give_back(std::move(ways));
  };
  // On a nearly regular tree the closed form balances best, and takes shortest paths.
  std::optional<Lfts> by_form;
  if (std::ranges::find(left_out, true) == left_out.end() &&
      std::ranges::all_of(layers, &nue::Layer::full)) {
    RoutingOptions unweighted = options;
    unweighted.hop_weights.clear();
    by_form = tree_form(fabric, unweighted);
  }
  if (by_form) {
    routes.lfts = std::move(*by_form);
    const auto rest = without_weight(order, weight);
    const Lfts others = spread(fabric, rest, make_dag, options);
    copy_columns(fabric, rest, others, routes.lfts);
  } else {
    routes.lfts = spread_ways(fabric, order, make_dag, options, threads, rehearsal);
  }
  if (count > 1) {
    std::vector<std::uint8_t> sl_of_lid(std::size_t{fabric.lid_top().value()} + 1, 0);
    for (const Destination& destination : order)
      for (const EndportId id : destination.endports)
        for (unsigned offset = 0; offset < lid_count(fabric.endport(id)); ++offset)
          sl_of_lid[lid_at(fabric.endport(id), offset).value()] =
              static_cast<std::uint8_t>(layer_of[destination.sw.value()]);
    routes.path_sl = PathSl::by_destination(std::move(sl_of_lid));
  }
  return routes;
}

}  // namespace weft
