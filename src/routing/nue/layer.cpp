#include "routing/nue/layer.h"
#include <utility>

#include <algorithm>

#include "base/parallel.h"
#include "routing/nue/pairs.h"
#include "routing/nue/ways.h"

namespace weft::nue {
namespace {

constexpr std::uint64_t kFlowUnit = 4096;  // one pair of endports, so that shares of it are whole
constexpr std::size_t kSample = 32;        // destinations that a first look takes
constexpr unsigned kSettleSweeps = 6;
constexpr double kSettleNoise = 2;
constexpr unsigned kRounds = 1;
constexpr unsigned kSweeps = 4;
constexpr unsigned kFirstSweeps = 6;
constexpr double kFirstNoise = 2;
constexpr double kDetourCost = 2;
constexpr std::uint64_t kLackWorth = 2;  // of a turn that is lacked, to one that is used

/// Which turns a trial counts.
enum class Want { kNothing, kShortest, kUsed };

/// What growing the ways to some destinations has shown.
struct Trial {
  std::uint64_t detoured = 0;  // pairs of endports with a path longer than the shortest
  bool full = true;            // every shortest path may be used
  TurnWeights wanted;
  std::vector<std::uint64_t> load;  // by arc, for Want::kUsed
};

/// Adds up which turns the ways to one destination after another use, and which they lack.
class Wanted {
 public:
  Wanted(const Arcs& arcs, std::span<const std::uint32_t> weight, Trial& trial)
      : arcs_(arcs),
        weight_(weight),
        turns_(trial.wanted),
        load_(trial.load),
        flow_(arcs.switches),
        ways_of_(arcs.switches) {}

  /// As if every shortest path could be used.
  void add_shortest(const Ways& ways) {
    const auto near = ways.by_distance();
    begin(ways.destination(), near);
    arcs_used_.clear();
    for (const std::uint32_t sw : near) {
      const std::size_t first = arcs_used_.size();
      for (std::uint32_t a = arcs_.begin[sw]; a < arcs_.begin[sw + 1]; ++a)
        if (ways.shortest(arcs_.head[a]) + 1 == ways.shortest(sw)) arcs_used_.push_back(a);
      ways_of_[sw] = {first, arcs_used_.size() - first};
    }
    for (std::size_t i = near.size(); i-- > 1;) pass_on(near[i]);
  }

  /// The ways as they are, and the turns that would make longer ones shortest.
  void add(const Ways& ways) {
    begin(ways.destination(), ways.by_distance());
    arcs_used_.clear();
    for (const Ways::Member& member : ways.members()) {
      const auto arcs = ways.arcs_of(member);
      ways_of_[member.sw] = {arcs_used_.size(), arcs.size()};
      arcs_used_.insert(arcs_used_.end(), arcs.begin(), arcs.end());
    }
    const auto members = ways.members();
    for (std::size_t i = members.size(); i-- > 0;) {
      pass_on(members[i].sw);
      if (ways.hops(members[i].sw) > ways.shortest(members[i].sw)) lack(ways, members[i].sw);
    }
  }

 private:
  void begin(std::uint32_t destination, std::span<const std::uint32_t> switches) {
    for (const std::uint32_t sw : switches)
      flow_[sw] = std::uint64_t{weight_[sw]} * weight_[destination] * kFlowUnit;
    ways_of_[destination] = {};
  }
  std::span<const std::uint32_t> ways_of(std::uint32_t sw) const {
    return std::span(arcs_used_).subspan(ways_of_[sw].first, ways_of_[sw].second);
  }
  void pass_on(std::uint32_t sw) {
    if (flow_[sw] == 0) return;
    const auto arcs = ways_of(sw);
    const std::uint64_t share = flow_[sw] / arcs.size();
    for (const std::uint32_t arc : arcs) {
      flow_[arcs_.head[arc]] += share;
      load_[arc] += share;
      want(arc, share);
    }
  }
  void want(std::uint32_t arc, std::uint64_t flow) {
    const auto next = ways_of(arcs_.head[arc]);
    for (const std::uint32_t out : next) turns_[arcs_.turn(arc, out)] += flow / next.size();
  }
  void lack(const Ways& ways, std::uint32_t sw) {
    std::size_t options = 0;
    const auto shorter = [&](std::uint32_t arc) {
      return ways.hops(arcs_.head[arc]) + 1 == ways.shortest(sw);
    };
    for (std::uint32_t a = arcs_.begin[sw]; a < arcs_.begin[sw + 1]; ++a) options += shorter(a);
    for (std::uint32_t a = arcs_.begin[sw]; a < arcs_.begin[sw + 1]; ++a)
      if (shorter(a)) want(a, flow_[sw] * kLackWorth / options);
  }

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  TurnWeights& turns_;
  std::vector<std::uint64_t>& load_;
  std::vector<std::uint64_t> flow_;
  std::vector<std::uint32_t> arcs_used_;
  std::vector<std::pair<std::size_t, std::size_t>> ways_of_;  // by switch: first and count
};

class Trials {
 public:
  Trials(const Arcs& arcs, std::span<const std::uint32_t> weight,
         std::vector<std::uint32_t> destinations, unsigned threads)
      : arcs_(arcs),
        weight_(weight),
        destinations_(std::move(destinations)),
        threads_(threads == 0 ? hardware_threads() : threads) {}

  /// Of every `stride`-th destination.
  Trial run(const Escape& escape, const Order& order, Want want, std::size_t stride = 1) const {
    const Order back = places_back(arcs_, order);
    const std::size_t count = (destinations_.size() + stride - 1) / stride;
    const std::size_t block = count / threads_ + 1;
    std::vector<Trial> parts(count / block + 1);
    parallel_blocks(count, block, threads_, [&](std::size_t begin, std::size_t end) {
      Trial& part = parts[begin / block];
      if (want != Want::kNothing) {
        part.wanted.assign(arcs_.turn_count(), 0);
        part.load.assign(arcs_.count(), 0);
      }
      Ways ways(arcs_, escape, order, back);
      Wanted turns(arcs_, weight_, part);
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t destination = destinations_[i * stride];
        ways.grow(destination);
        part.detoured += ways.detoured(weight_) * weight_[destination];
        part.full = part.full && ways.full();
        if (want == Want::kShortest) turns.add_shortest(ways);
        if (want == Want::kUsed) turns.add(ways);
      }
    });
    return sum(parts, want);
  }

  /// Uneven loads and detours: the sum of the squares of what channels carry, and more in
  /// proportion to the pairs that take a detour.
  double cost(const Trial& trial) const {
    double squares = 0;
    for (std::uint32_t a = 0; a < arcs_.count(); ++a) {
      const auto load = static_cast<double>(trial.load[a]);
      squares += load * load / static_cast<double>(arcs_.channels_of(a).size());
    }
    double sources = 0;
    double pairs = 0;
    for (const std::uint32_t weight : weight_) sources += weight;
    for (const std::uint32_t d : destinations_) pairs += sources * weight_[d];
    return squares * (1 + kDetourCost * static_cast<double>(trial.detoured) / std::max(1.0, pairs));
  }

  std::span<const std::uint32_t> weight() const { return weight_; }
  std::span<const std::uint32_t> destinations() const { return destinations_; }

 private:
  Trial sum(std::span<Trial> parts, Want want) const {
    Trial result;
    if (want != Want::kNothing) {
      result.wanted.assign(arcs_.turn_count(), 0);
      result.load.assign(arcs_.count(), 0);
    }
    const auto add = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
      for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
    };
    for (const Trial& part : parts) {
      result.detoured += part.detoured;
      result.full = result.full && part.full;
      add(result.wanted, part.wanted);
      add(result.load, part.load);
    }
    return result;
  }

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  std::vector<std::uint32_t> destinations_;
  unsigned threads_;
};

/// Betters an order by weights of turns: first toward all shortest paths, then toward those that
/// can be had. Keeps the one that costs least.
void better_by_weights(const Arcs& arcs, const Trials& trials, const Escape& escape, Rng& rng,
                       Order& best) {
  Trial trial = trials.run(escape, best, Want::kUsed);
  double least = trials.cost(trial);
  Order order = best;
  trial = trials.run(escape, order, Want::kShortest);
  sift(arcs, escape, trial.wanted, kFirstSweeps, kFirstNoise, rng, order);
  for (unsigned round = 0; round <= kRounds; ++round) {
    trial = trials.run(escape, order, Want::kUsed);
    if (const double cost = trials.cost(trial); cost < least) {
      least = cost;
      best = order;
    }
    if (round < kRounds) sift(arcs, escape, trial.wanted, kSweeps, 0, rng, order);
  }
}

/// Where the order starts: nearest or densest first, whichever detours less.
void start(const Arcs& arcs, const Trials& trials, std::span<const std::uint32_t> roots, bool& full,
           Layer& layer) {
  const std::size_t stride = trials.destinations().size() / kSample + 1;
  layer.escape = breadth_first(arcs, roots);
  layer.order = up_down_order(arcs, layer.escape);
  const Trial nearest = trials.run(layer.escape, layer.order, Want::kNothing, stride);
  full =
      nearest.full && (stride == 1 || trials.run(layer.escape, layer.order, Want::kNothing).full);
  if (nearest.detoured == 0) return;
  Escape escape = densest_first(arcs, roots);
  Order order = up_down_order(arcs, escape);
  const Trial densest = trials.run(escape, order, Want::kNothing, stride);
  if (densest.detoured >= nearest.detoured) return;
  layer.escape = std::move(escape);
  layer.order = std::move(order);
}

}  // namespace

Layer make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> destinations, unsigned threads, Rng rng) {
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t d : destinations)
    if (weight[d] > 0) targets.push_back(d);
  const auto roots = central_first(arcs, weight, betweenness(arcs, targets));
  const Trials trials(arcs, weight, std::move(targets), threads);
  Layer layer;
  bool full = false;
  start(arcs, trials, roots, full, layer);
  if (!full) {
    Pairs pairs(arcs, weight, trials.destinations());
    if (pairs.complete()) {
      settle(arcs, layer.escape, pairs, kSettleSweeps, kSettleNoise, rng, layer.order);
    } else {
      better_by_weights(arcs, trials, layer.escape, rng, layer.order);
    }
  }
  layer.back = places_back(arcs, layer.order);
  return layer;
}

}  // namespace weft::nue
