#include "routing/nue/layer.h"

#include <algorithm>

#include "base/parallel.h"
#include "routing/nue/pairs.h"
#include "routing/nue/ways.h"

namespace weft::nue {
namespace {

constexpr std::uint64_t kFlowUnit = 4096;  // one pair of endports, so that shares of it are whole
constexpr unsigned kSettleSweeps = 12;
constexpr double kSettleNoise = 3;
constexpr unsigned kRounds = 3;
constexpr unsigned kSweeps = 4;
constexpr unsigned kFirstSweeps = 20;
constexpr double kFirstNoise = 0.5;
constexpr std::uint64_t kLackWorth = 2;  // of a turn that is lacked, to one that is used

/// Which turns a trial counts.
enum class Want { kNothing, kShortest, kUsed };

/// What growing the ways to some destinations has shown.
struct Trial {
  std::uint64_t detoured = 0;
  TurnWeights wanted;
};

/// Adds up which turns the ways to one destination after another use, and which they lack.
class Wanted {
 public:
  Wanted(const Arcs& arcs, std::span<const std::uint32_t> weight, TurnWeights& turns)
      : arcs_(arcs),
        weight_(weight),
        turns_(turns),
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

  Trial run(const Escape& escape, const Order& order, Want want) const {
    const std::size_t block = destinations_.size() / threads_ + 1;
    std::vector<Trial> parts(destinations_.size() / block + 1);
    parallel_blocks(destinations_.size(), block, threads_, [&](std::size_t begin, std::size_t end) {
      Trial& part = parts[begin / block];
      if (want != Want::kNothing) part.wanted.assign(arcs_.turn_count(), 0);
      Ways ways(arcs_);
      Wanted turns(arcs_, weight_, part.wanted);
      for (std::size_t i = begin; i < end; ++i) {
        ways.grow(escape, order, destinations_[i]);
        part.detoured += ways.detoured(weight_) * weight_[destinations_[i]];
        if (want == Want::kShortest) turns.add_shortest(ways);
        if (want == Want::kUsed) turns.add(ways);
      }
    });
    Trial sum = std::move(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      sum.detoured += parts[i].detoured;
      for (std::size_t t = 0; t < parts[i].wanted.size(); ++t) sum.wanted[t] += parts[i].wanted[t];
    }
    if (want != Want::kNothing) sum.wanted.resize(arcs_.turn_count(), 0);
    return sum;
  }

  std::span<const std::uint32_t> weight() const { return weight_; }
  std::span<const std::uint32_t> destinations() const { return destinations_; }

 private:
  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  std::vector<std::uint32_t> destinations_;
  unsigned threads_;
};

/// A layer being made: the best so far.
class Maker {
 public:
  Maker(const Arcs& arcs, const Trials& trials) : arcs_(arcs), trials_(trials) {}

  Trial consider(const Escape& escape, const Order& order, Want want) {
    Trial trial = trials_.run(escape, order, want);
    if (best.order.empty() || trial.detoured < best.detoured)
      best = {escape, order, trial.detoured};
    return trial;
  }

  /// From the best order on: by pairs where these are near; else by weights of turns, first toward
  /// all shortest paths, then toward those that can be had.
  void better(Rng rng) {
    const Escape escape = best.escape;
    Order order = best.order;
    Pairs pairs(arcs_, trials_.weight(), trials_.destinations());
    if (pairs.complete()) {
      settle(arcs_, escape, pairs, kSettleSweeps, kSettleNoise, rng, order);
      consider(escape, order, Want::kNothing);
      return;
    }
    Trial trial = trials_.run(escape, order, Want::kShortest);
    sift(arcs_, escape, trial.wanted, kFirstSweeps, kFirstNoise, rng, order);
    for (unsigned round = 0; round < kRounds && best.detoured > 0; ++round) {
      trial = consider(escape, order, Want::kUsed);
      sift(arcs_, escape, trial.wanted, kSweeps, 0, rng, order);
    }
    consider(escape, order, Want::kNothing);
  }

  Layer best;

 private:
  const Arcs& arcs_;
  const Trials& trials_;
};

}  // namespace

Layer make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> destinations, unsigned threads, Rng rng) {
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t d : destinations)
    if (weight[d] > 0) targets.push_back(d);
  const auto roots = central_first(arcs, weight, betweenness(arcs, targets));
  const Trials trials(arcs, weight, std::move(targets), threads);
  Maker maker(arcs, trials);
  for (const auto grow : {&breadth_first, &densest_first}) {
    const Escape escape = grow(arcs, roots);
    maker.consider(escape, up_down_order(arcs, escape), Want::kNothing);
    if (maker.best.detoured == 0) return std::move(maker.best);
  }
  maker.better(rng);
  return std::move(maker.best);
}

}  // namespace weft::nue
