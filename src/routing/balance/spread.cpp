// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/spread.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routing/balance/channel_weights.h"
#include "routing/balance/next_hop_choice.h"
#include "routing/shapes/tree_growth.h"

namespace weft {
namespace {

// Limits of the destinations and LIDs of a batch. They only bound the memory.
constexpr std::size_t kBatchDestinations = 32;
constexpr std::size_t kBatchLids = 1024;
constexpr std::size_t kBatches = 64;       // minimum for large fabrics
constexpr std::uint32_t kRowsAtOnce = 64;  // rows written together
// Starting threads takes nearly a millisecond, and the balancing itself stays on one thread. So a
// thread is started only for this many times the work for which threads_worth() starts one.
constexpr std::uint64_t kThreadWorkFactor = 4;

/// Consecutive destinations, the DAGs toward these destinations, and the selected ports by LID. The
/// tables are written later, row by row, which has better memory locality than one entry in every
/// row.
struct Batch {
  std::span<const Destination> destinations;
  std::vector<const HopDag*> dags;
  std::vector<HopDag> own_dags;  // storage for `dags` that are not precomputed
  std::vector<Lid> lids;
  std::vector<std::uint8_t> ports;  // by LID, then by switch

  void clear() {
    destinations = {};
    lids.clear();
    ports.clear();
  }
  void copy_last_but_one(std::ptrdiff_t switches) {
    std::copy_n(ports.end() - 2 * switches, switches, ports.end() - switches);
  }
  /// Adds a LID and returns its ports by switch, initially kNoRoute.
  std::span<std::uint8_t> add(Lid lid, std::uint32_t switches) {
    lids.push_back(lid);
    ports.resize(lids.size() * switches, kNoRoute.value());
    return std::span(ports).last(switches);
  }
};

/// Fields of a channel that the inner loops read.
struct ChannelFacts {
  std::uint32_t weight;
  std::uint8_t port;
};

std::vector<ChannelFacts> channel_facts(const Fabric& fabric) {
  const auto weights = channel_weights(fabric);
  std::vector<ChannelFacts> facts;
  facts.reserve(weights.size());
  for (std::uint32_t i = 0; i < weights.size(); ++i)
    facts.push_back({weights[i], fabric.channel(ChannelId(i)).from_port.value()});
  return facts;
}

/// The index of the first next hop with the least key.
template <class Key>
std::size_t least(std::size_t next_hops, const Key& key) {
  std::size_t best = 0;
  auto best_key = key(0);
  for (std::size_t next_hop = 1; next_hop < next_hops; ++next_hop) {
    const auto next_key = key(next_hop);
    if (!(next_key < best_key)) continue;
    best = next_hop;
    best_key = next_key;
  }
  return best;
}

/// Loads of channels and costs of paths, in weighted flows << kNextHopBits; with 32 bits while the
/// values fit.
template <class Cost>
struct Costs {
  std::vector<Cost> load;  // by channel
  std::vector<Cost> cost;  // by switch
};

class GlobalSpread {
 public:
  GlobalSpread(const Fabric& fabric, const SpreadOptions& options)
      : fabric_(fabric),
        facts_(channel_facts(fabric)),
        hosts_(traffic_ports_by_switch(fabric)),
        flow_(fabric.switch_count()),
        choices_(fabric.switch_count()),
        choice_(fabric, options) {
    narrow_.load.assign(fabric.channel_count(), 0);
    narrow_.cost.assign(fabric.switch_count(), 0);
    for (const std::uint32_t hosts : hosts_) hosts_sum_ += hosts;
    for (const EndportId id : options.ignored)
      if (const Endport& port = fabric.endport(id); is_sender(port)) --hosts_[port.sw.value()];
    for (const ChannelFacts& channel : facts_)
      weight_max_ = std::max<std::uint64_t>(weight_max_, channel.weight);
  }

  NextHopChoice& choice() { return choice_; }
  static bool may_follow(const NextHopChoice& choice) { return choice.is_by_load_alone(); }

  void route(const HopDag& dag, std::span<std::uint8_t> ports) {
    if (!wide_ && !fits_narrow(dag)) widen();
    if (wide_) {
      route(dag, wide_costs_, ports);
    } else {
      route(dag, narrow_, ports);
    }
  }

 private:
  /// Whether hosts_ counts the port.
  bool is_sender(const Endport& port) const {
    return port.sw != kNoSwitch && !fabric_.is_switch(port.node) &&
           !is_aggregation_node(fabric_.node(port.node));
  }

  /// Whether all sums of loads along a path, including the flows to this LID, fit in 32 bits.
  bool fits_narrow(const HopDag& dag) {
    const auto fits = [&] {
      const std::uint64_t load = load_most_ + hosts_sum_ * weight_max_;
      return load * (std::uint64_t{dag.depth()} + 1) < std::numeric_limits<std::uint32_t>::max() >>
             kNextHopBits;
    };
    if (fits()) return true;
    load_most_ = narrow_.load.empty() ? 0 : std::ranges::max(narrow_.load) >> kNextHopBits;
    return fits();
  }

  void widen() {
    wide_ = true;
    wide_costs_.load.assign(narrow_.load.begin(), narrow_.load.end());
    wide_costs_.cost.assign(fabric_.switch_count(), 0);
  }

  template <class Cost>
  void route(const HopDag& dag, Costs<Cost>& costs, std::span<std::uint8_t> ports) {
    if (choice_.is_by_load_alone()) {
      grow_tree(dag, costs.load, costs.cost, choices_);
    } else {
      grow_by_choice(dag, costs);
    }
    if (choice_.is_load()) {
      add_flows(dag, costs.load, ports);
      return;
    }
    const auto members = dag.members();
    for (std::size_t i = 0; i < members.size(); ++i)
      ports[members[i].sw] = facts_[choices_[i].channel].port;
  }

  /// Like grow_tree(), with other criteria besides load.
  template <class Cost>
  void grow_by_choice(const HopDag& dag, Costs<Cost>& costs) {
    costs.cost[dag.destination().value()] = 0;
    for (const HopDag::Group& group : dag.groups()) {
      for (std::uint32_t m = group.begin; m < group.end; ++m) {
        const HopDag::Member& member = dag.members()[m];
        const auto channels = dag.channels(group, member);
        const auto targets = dag.targets(group, member);
        const auto cost_of = [&](std::size_t next_hop) {
          return static_cast<Cost>(costs.cost[targets[next_hop]] + costs.load[channels[next_hop]]);
        };
        const std::size_t next_hop = choice_.kept(member.sw, channels).value_or(group.next_hops);
        const std::size_t taken = next_hop < group.next_hops
                                      ? next_hop
                                      : best_next_hop(member.sw, targets, channels, cost_of);
        choices_[m] = {channels[taken], targets[taken]};
        costs.cost[member.sw] = cost_of(taken);
        choice_.use(member.sw, targets[taken]);
      }
    }
  }

  template <class CostOf>
  std::size_t best_next_hop(std::uint32_t sw, std::span<const std::uint32_t> targets,
                            std::span<const std::uint32_t> channels, const CostOf& cost_of) const {
    const auto key = [&](std::size_t next_hop) {
      return std::tuple(choice_.penalty(sw, targets[next_hop]), cost_of(next_hop),
                        choice_.order_key(sw, next_hop, targets.size(), channels[next_hop]));
    };
    return least(targets.size(), key);
  }

  /// Adds one flow from every host that is not ignored to the LID. Beginning with the farthest
  /// switches, the flows of a switch (those of its hosts and those that it receives) are added to
  /// its next hop. Also sets the ports.
  template <class Cost>
  void add_flows(const HopDag& dag, std::vector<Cost>& load, std::span<std::uint8_t> ports) {
    std::ranges::copy(hosts_, flow_.begin());
    load_most_ += hosts_sum_ * weight_max_;
    // Local copies, so that the compiler need not reload the pointers after each store.
    const HopDag::Member* const members = dag.members().data();
    const TreeChoice* const choices = choices_.data();
    const ChannelFacts* const facts = facts_.data();
    Cost* const loads = load.data();
    std::uint32_t* const flow = flow_.data();
    for (std::size_t i = dag.members().size(); i-- > 0;) {
      const auto [channel, to] = choices[i];
      const std::uint32_t flows = flow[members[i].sw];
      flow[to] += flows;
      loads[channel] += static_cast<Cost>(Cost{flows} * facts[channel].weight << kNextHopBits);
      ports[members[i].sw] = facts[channel].port;
    }
  }

  const Fabric& fabric_;
  std::vector<ChannelFacts> facts_;
  /// By switch. Paths to aggregation nodes are balanced too, but only hosts count as senders: else
  /// the flows of the aggregation nodes in spines would change the balance of hosts.
  std::vector<std::uint32_t> hosts_;
  std::uint64_t hosts_sum_ = 0;
  std::uint64_t weight_max_ = 1;
  std::uint64_t load_most_ = 0;  // upper bound for all channels
  bool wide_ = false;
  Costs<std::uint32_t> narrow_;
  Costs<std::uint64_t> wide_costs_;
  std::vector<std::uint32_t> flow_;  // by switch
  std::vector<TreeChoice> choices_;  // by member of the DAG
  NextHopChoice choice_;
};

class LocalSpread {
 public:
  LocalSpread(const Fabric& fabric, const SpreadOptions& options)
      : fabric_(fabric), used_(fabric.channel_count(), 0), choice_(fabric, options) {}

  NextHopChoice& choice() { return choice_; }
  static bool may_follow(const NextHopChoice&) { return false; }

  void route(const HopDag& dag, std::span<std::uint8_t> ports) {
    for (const HopDag::Group& group : dag.groups())
      for (std::uint32_t m = group.begin; m < group.end; ++m)
        ports[dag.members()[m].sw] = choose(dag, group, dag.members()[m]);
  }

 private:
  std::uint8_t choose(const HopDag& dag, const HopDag::Group& group, const HopDag::Member& member) {
    const auto channels = dag.channels(group, member);
    const auto targets = dag.targets(group, member);
    std::size_t best = choice_.kept(member.sw, channels).value_or(group.next_hops);
    if (best == group.next_hops)
      best = least(group.next_hops, [&](std::size_t next_hop) {
        return std::tuple(
            choice_.penalty(member.sw, targets[next_hop]),
            choice_.is_scattered() ? 0 : used_[channels[next_hop]],
            choice_.order_key(member.sw, next_hop, group.next_hops, channels[next_hop]));
      });
    if (choice_.is_load()) ++used_[channels[best]];
    choice_.use(member.sw, targets[best]);
    return fabric_.channel(ChannelId(channels[best])).from_port.value();
  }

  const Fabric& fabric_;
  std::vector<std::uint32_t> used_;
  NextHopChoice choice_;
};

/// Routes every LID of a destination. Traffic to port 0 of the switch is no load. If only load
/// determines the selection (may_follow()), the LID of port 0 uses the next hops of the preceding
/// LID.
template <class Spread>
void add(const Fabric& fabric, const Destination& destination, const HopDag& dag, Spread& spread,
         Batch& batch) {
  bool follow = false;
  for (const EndportId id : destination.endports) {
    const Endport& endport = fabric.endport(id);
    spread.choice().begin(destination.sw, id);
    follow = follow && fabric.is_switch(endport.node) && Spread::may_follow(spread.choice());
    for (unsigned offset = 0; offset < lid_count(endport); ++offset) {
      spread.choice().begin_lid(lid_at(endport, offset));
      const auto ports = batch.add(lid_at(endport, offset), fabric.switch_count());
      if (follow) {
        batch.copy_last_but_one(fabric.switch_count());
      } else {
        spread.route(dag, ports);
      }
      ports[destination.sw.value()] = endport.sw_port.value();
    }
    follow = Spread::may_follow(spread.choice()) && lid_count(endport) > 0;
  }
}

/// Splits the destinations into batches.
std::vector<std::span<const Destination>> batches(const Fabric& fabric,
                                                  std::span<const Destination> order) {
  std::vector<std::span<const Destination>> result;
  // At least kBatches batches on large fabrics, so that all threads have work until near the end.
  const std::size_t size = std::clamp<std::size_t>(order.size() / kBatches, 1, kBatchDestinations);
  while (!order.empty()) {
    std::size_t count = 0;
    std::size_t lids = 0;
    while (count < std::min(size, order.size()) && lids < kBatchLids)
      for (const EndportId id : order[count++].endports) lids += lid_count(fabric.endport(id));
    result.push_back(order.first(count));
    order = order.subspan(count);
  }
  return result;
}

/// Writes the ports of a batch, several rows at a time.
void write_rows(const Batch& batch, Lfts& lfts) {
  const std::uint32_t switches = lfts.switch_count();
  std::array<std::uint8_t*, kRowsAtOnce> rows;
  for (std::uint32_t begin = 0; begin < switches; begin += kRowsAtOnce) {
    const std::uint32_t count = std::min(kRowsAtOnce, switches - begin);
    for (std::uint32_t i = 0; i < count; ++i) rows[i] = lfts.row(SwitchId(begin + i)).data();
    const std::uint8_t* ports = batch.ports.data() + begin;
    for (const Lid lid : std::span(batch.lids)) {
      const std::size_t column = lid.value();
      for (std::uint32_t i = 0; i < count; ++i) rows[i][column] = ports[i];
      ports += switches;
    }
  }
}

/// Precomputed DAGs toward all switches, or the function that makes them.
struct Dags {
  const DagMaker* make = nullptr;
  std::span<const HopDag> made;  // by switch
};

/// Batches must be balanced in order. While one thread balances a batch, the other threads make the
/// DAGs of later batches and write the rows of earlier batches.
template <class Spread>
class BatchPipeline {
 public:
  BatchPipeline(const Fabric& fabric, const Dags& dags, const SpreadOptions& options)
      : fabric_(fabric), dags_(dags), options_(options), spread_(fabric, options) {}

  /// With `rest`, only entries that can stay unchanged are routed, and the other endports are added
  /// to `rest`. Without `lfts`, load is added, but no table is written.
  void run(std::span<const Destination> order, unsigned threads, std::vector<Destination>* rest,
           Lfts* lfts) {
    const auto parts = batches(fabric_, order);
    slots_.resize(std::size_t{2} * (threads == 0 ? hardware_threads() : threads));
    const auto prepare = [&](std::size_t item, std::size_t slot) {
      Batch& batch = slots_[slot];
      batch.clear();
      batch.destinations = parts[item];
      batch.dags.clear();
      for (const Destination& destination : parts[item])
        batch.dags.push_back(dags_.made.empty() ? nullptr : &dags_.made[destination.sw.value()]);
      if (dags_.made.empty()) make(batch);
    };
    const auto balance = [&](std::size_t, std::size_t slot) { this->balance(slots_[slot], rest); };
    const auto write = [&](std::size_t, std::size_t slot) {
      if (lfts != nullptr) write_rows(slots_[slot], *lfts);
    };
    run_pipeline(parts.size(), slots_.size(), threads, {prepare, balance, write});
  }

 private:
  void make(Batch& batch) {
    const std::size_t count = batch.destinations.size();
    while (batch.own_dags.size() < count) batch.own_dags.emplace_back().prefer(options_.port_rank);
    for (std::size_t i = 0; i < count; ++i) {
      (*dags_.make)(batch.destinations[i].sw, batch.own_dags[i]);
      batch.dags[i] = &batch.own_dags[i];
    }
  }

  void balance(Batch& batch, std::vector<Destination>* rest) {
    for (std::size_t i = 0; i < batch.destinations.size(); ++i) {
      const Destination& all = batch.destinations[i];
      const HopDag& dag = *batch.dags[i];
      if (rest == nullptr) {
        add(fabric_, all, dag, spread_, batch);
      } else {
        add(fabric_, split_unchanged(fabric_, *options_.previous, all, dag, *rest), dag, spread_,
            batch);
      }
    }
  }

  const Fabric& fabric_;
  const Dags dags_;
  const SpreadOptions& options_;
  Spread spread_;
  std::vector<Batch> slots_;
};

/// Entries that can stay unchanged are processed first, so that the load of these entries is known
/// for the balance of the other entries.
template <class Spread>
Lfts spread_by(const Fabric& fabric, std::span<const Destination> order, const Dags& dags,
               const SpreadOptions& options, std::span<const Destination> counted_first) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  const std::uint64_t channels = std::uint64_t{order.size()} * fabric.channel_count();
  const unsigned threads = threads_worth(channels / kThreadWorkFactor, options.threads);
  BatchPipeline<Spread> pipeline(fabric, dags, options);
  if (!options.previous) {
    pipeline.run(counted_first, threads, nullptr, nullptr);
    pipeline.run(order, threads, nullptr, &lfts);
    return lfts;
  }
  std::vector<Destination> rest;
  pipeline.run(order, threads, &rest, &lfts);
  pipeline.run(rest, threads, nullptr, &lfts);
  return lfts;
}

Lfts spread(const Fabric& fabric, std::span<const Destination> order, const Dags& dags,
            const SpreadOptions& options, std::span<const Destination> counted_first) {
  return options.balance == Balance::kLocal
             ? spread_by<LocalSpread>(fabric, order, dags, options, {})
             : spread_by<GlobalSpread>(fabric, order, dags, options, counted_first);
}

}  // namespace

Lfts spread(const Fabric& fabric, std::span<const Destination> order, const DagMaker& make_dag,
            const SpreadOptions& options, std::span<const Destination> counted_first) {
  return spread(fabric, order, Dags{&make_dag, {}}, options, counted_first);
}

Lfts spread(const Fabric& fabric, std::span<const Destination> order,
            std::span<const HopDag> dag_toward, const SpreadOptions& options,
            std::span<const Destination> counted_first) {
  return spread(fabric, order, Dags{nullptr, dag_toward}, options, counted_first);
}

}  // namespace weft
