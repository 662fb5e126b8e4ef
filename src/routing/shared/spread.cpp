#include "routing/shared/spread.h"

#include <algorithm>
#include <limits>

#include "base/parallel.h"

namespace weft {
namespace {

// DAGs are made for this many destinations at once. A constant: the result must not depend on
// threads.
constexpr std::size_t kBatch = 32;

/// Which earlier LIDs of the same port chose what at each switch: rules a to d of LMC
/// (current-routing, "LMC awareness"). Among equal hops prefer a neighbour of another system, then
/// another node, then the load.
class LmcGroup {
 public:
  explicit LmcGroup(const Fabric& fabric) : fabric_(fabric), used_(fabric.switch_count()) {}

  void begin() {
    for (const std::uint32_t s : touched_) used_[s].clear();
    touched_.clear();
  }
  void use(std::uint32_t sw, std::uint32_t to) {
    if (used_[sw].empty()) touched_.push_back(sw);
    used_[sw].push_back(to);
  }
  /// 0: a system not used yet; 1: a node not used yet; 2: neither.
  unsigned distaste(std::uint32_t sw, std::uint32_t to) const {
    unsigned worst = 0;
    for (const std::uint32_t before : used_[sw]) {
      if (before == to) return 2;
      if (fabric_.node(SwitchId(before)).system_guid == fabric_.node(SwitchId(to)).system_guid)
        worst = 1;
    }
    return worst;
  }

 private:
  const Fabric& fabric_;
  std::vector<std::vector<std::uint32_t>> used_;
  std::vector<std::uint32_t> touched_;
};

/// Time that a flow takes on a channel, relative to the fastest link of the fabric: slow cables
/// weigh more.
std::vector<std::uint32_t> channel_weights(const Fabric& fabric) {
  unsigned fastest = 1;
  std::vector<unsigned> rates;
  for (const Channel& channel : fabric.channels()) {
    const Port& port =
        fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
    rates.push_back(std::max(1u, data_rate_100mbit(port.width, port.speed)));
    fastest = std::max(fastest, rates.back());
  }
  std::vector<std::uint32_t> weights;
  for (const unsigned rate : rates) weights.push_back(std::max(1u, fastest / rate));
  return weights;
}

class GlobalSpread {
 public:
  GlobalSpread(const Fabric& fabric, const RoutingOptions& options, Lfts& lfts)
      : fabric_(fabric),
        lfts_(lfts),
        load_(fabric.channel_count(), 0),
        weight_(channel_weights(fabric)),
        cost_(fabric.switch_count(), 0),
        choice_(fabric.switch_count(), 0),
        flow_(fabric.switch_count(), 0),
        group_(fabric) {
    (void)options;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      hosts_.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
  }

  void add(const Destination& destination, const HopDag& dag) {
    for (const EndportId id : destination.endports) {
      const Endport& endport = fabric_.endport(id);
      const bool host = !fabric_.is_switch(endport.node);
      const unsigned count = lid_count(endport);
      group_.begin();
      for (unsigned offset = 0; offset < count; ++offset) {
        const Lid lid = lid_at(endport, offset);
        lfts_.set(destination.sw, lid, endport.sw_port);
        grow(dag, lid, count > 1);
        if (host) add_flows(dag, destination.sw);
      }
    }
  }

 private:
  void grow(const HopDag& dag, Lid lid, bool grouped) {
    const auto order = dag.order();
    cost_[order[0]] = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint32_t sw = order[i];
      std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
      std::uint64_t best_cost = 0;
      const Candidate* chosen = nullptr;
      for (const Candidate& candidate : dag.candidates(i)) {
        const std::uint64_t cost = cost_[candidate.to] + load_[candidate.channel];
        const std::uint64_t key =
            grouped ? cost | std::uint64_t{group_.distaste(sw, candidate.to)} << 60 : cost;
        if (key >= best) continue;
        best = key;
        best_cost = cost;
        chosen = &candidate;
      }
      cost_[sw] = best_cost;
      choice_[sw] = chosen->channel;
      if (grouped) group_.use(sw, chosen->to);
      lfts_.set(SwitchId(sw), lid, fabric_.channel(ChannelId(chosen->channel)).from_port);
    }
  }

  /// Every host sends one flow to the LID: farthest switches first, each passes on what it got and
  /// its own.
  void add_flows(const HopDag& dag, SwitchId destination) {
    const auto order = dag.order();
    for (const std::uint32_t sw : order) flow_[sw] = hosts_[sw];
    for (std::size_t i = order.size(); i-- > 1;) {
      const std::uint32_t sw = order[i];
      if (flow_[sw] == 0) continue;
      const std::uint32_t channel = choice_[sw];
      load_[channel] += std::uint64_t{flow_[sw]} * weight_[channel];
      flow_[fabric_.channel(ChannelId(channel)).to.value()] += flow_[sw];
    }
    (void)destination;
  }

  const Fabric& fabric_;
  Lfts& lfts_;
  std::vector<std::uint64_t> load_;
  std::vector<std::uint32_t> weight_;
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint64_t> cost_;
  std::vector<std::uint32_t> choice_;
  std::vector<std::uint32_t> flow_;
  LmcGroup group_;
};

class LocalSpread {
 public:
  LocalSpread(const Fabric& fabric, Lfts& lfts)
      : fabric_(fabric), lfts_(lfts), used_(fabric.channel_count(), 0), group_(fabric) {}

  void add(const Destination& destination, const HopDag& dag) {
    for (const EndportId id : destination.endports) {
      const Endport& endport = fabric_.endport(id);
      const bool host = !fabric_.is_switch(endport.node);
      const unsigned count = lid_count(endport);
      group_.begin();
      for (unsigned offset = 0; offset < count; ++offset) {
        const Lid lid = lid_at(endport, offset);
        lfts_.set(destination.sw, lid, endport.sw_port);
        for (std::size_t i = 1; i < dag.order().size(); ++i)
          choose(dag.order()[i], dag.candidates(i), lid, host, count > 1);
      }
    }
  }

 private:
  void choose(std::uint32_t sw, std::span<const Candidate> candidates, Lid lid, bool host,
              bool grouped) {
    const auto best = std::ranges::min_element(candidates, {}, [&](const Candidate& candidate) {
      return std::pair(grouped ? group_.distaste(sw, candidate.to) : 0u, used_[candidate.channel]);
    });
    if (host) ++used_[best->channel];
    if (grouped) group_.use(sw, best->to);
    lfts_.set(SwitchId(sw), lid, fabric_.channel(ChannelId(best->channel)).from_port);
  }

  const Fabric& fabric_;
  Lfts& lfts_;
  std::vector<std::uint32_t> used_;
  LmcGroup group_;
};

template <class Spread>
void run(std::span<const Destination> order, const DagMaker& make_dag, unsigned threads,
         Spread& spread) {
  std::vector<HopDag> dags(kBatch);
  for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, order.size() - begin);
    parallel_for(count, threads, [&](std::size_t i) { make_dag(order[begin + i].sw, dags[i]); });
    for (std::size_t i = 0; i < count; ++i) spread.add(order[begin + i], dags[i]);
  }
}

}  // namespace

Lfts spread(const Fabric& fabric, std::span<const Destination> order, const DagMaker& make_dag,
            const RoutingOptions& options) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  if (options.balance == Balance::kLocal) {
    LocalSpread local(fabric, lfts);
    run(order, make_dag, options.threads, local);
  } else {
    GlobalSpread global(fabric, options, lfts);
    run(order, make_dag, options.threads, global);
  }
  return lfts;
}

}  // namespace weft
