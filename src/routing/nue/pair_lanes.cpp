// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/pair_lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/parallel.h"

namespace weft::nue {
namespace {

constexpr std::size_t kChunk = 512;  // pairs processed in parallel with the same loads
constexpr std::size_t kAtOnce = 64;
constexpr std::uint16_t kNotReached = 0xFFFF;
constexpr unsigned kLanesMost = 16;
constexpr std::uint64_t kFlowUnit = 16;  // flow of one endport pair, which cables share
constexpr unsigned kDetourMost = 2;      // longest detour for which a lane is searched

struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// Whether `worth` is at least three quarters of the maximum. Of such lanes and arcs, the least
/// loaded is preferred.
bool is_nearly(std::uint32_t worth, std::uint32_t most) { return 4 * worth >= 3 * most; }

class Settling {
 public:
  Settling(const Arcs& arcs, const LaneOrders& orders, std::span<const std::uint8_t> preferred,
           std::span<const std::uint32_t> weight, unsigned enough, unsigned threads)
      : arcs_(arcs),
        orders_(orders),
        preferred_(preferred),
        weight_(weight),
        threads_(threads),
        enough_(enough),
        hops_(std::size_t{arcs.switches} * arcs.switches, kNotReached),
        next_(hops_.size(), kNoArc),
        load_(arcs.count(), 0) {
    pairs_.switches = arcs.switches;
    pairs_.stride = orders.stride;
    pairs_.lane.assign(hops_.size(), 0);
    pairs_.limits.assign(hops_.size() * orders.stride, kClosed);
  }

  PairLanes run() {
    parallel_for(arcs_.switches, threads_,
                 [&](std::size_t d) { search(static_cast<std::uint32_t>(d)); });
    const auto by_hops = pairs_by_hops();
    for (const std::vector<Pair>& level : by_hops)
      for (std::size_t first = 0; first < level.size(); first += kChunk)
        settle_all(std::span(level).subspan(first, std::min(kChunk, level.size() - first)));
    pairs_.demand = pairs_.lane;
    for (const std::vector<Pair>& level : by_hops)
      for (const Pair& pair : level)
        if (next_[pairs_.at(pair.b, pair.a)] == kNoArc) leave_open(pair);
    return std::move(pairs_);
  }

 private:
  /// One direction of a pair: the arcs that begin a path, and their heads.
  struct Side {
    std::vector<std::uint32_t> arcs;
    std::vector<Limit> bounds;         // by arc and lane
    std::vector<std::uint32_t> worth;  // by arc
    std::vector<std::uint64_t> cost;   // by arc: load of the path
    std::uint32_t lanes = 0;           // a bit for each possible lane
    std::array<Limit, kLanesMost> merged{};
  };

  void search(std::uint32_t destination) {
    std::uint16_t* const hops = hops_.data() + pairs_.at(destination, 0);
    std::vector<std::uint32_t> queue(1, destination);
    hops[destination] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::uint32_t a = arcs_.begin[queue[i]]; a < arcs_.begin[queue[i] + 1]; ++a)
        if (std::uint16_t& hop = hops[arcs_.head[a]]; hop == kNotReached) {
          hop = static_cast<std::uint16_t>(hops[queue[i]] + 1);
          queue.push_back(arcs_.head[a]);
        }
    std::fill_n(limit(destination, destination), orders_.stride, kArrived);
  }

  std::vector<std::vector<Pair>> pairs_by_hops() const {
    std::vector<std::vector<Pair>> found;
    for (std::uint32_t b = 0; b < arcs_.switches; ++b)
      for (std::uint32_t a = 0; a < b; ++a) {
        const std::uint16_t hops = hops_[pairs_.at(b, a)];
        if (hops == kNotReached) continue;
        if (hops >= found.size()) found.resize(hops + std::size_t{1});
        found[hops].push_back({a, b});
      }
    return found;
  }

  Limit* limit(std::uint32_t to, std::uint32_t from) {
    return pairs_.limits.data() + pairs_.at(to, from) * orders_.stride;
  }
  unsigned hops(std::uint32_t to, std::uint32_t from) const { return hops_[pairs_.at(to, from)]; }

  /// Settles pairs with equal hops in parallel: paths continue over switches with fewer hops, so no
  /// pair reads data that another pair writes.
  void settle_all(std::span<const Pair> pairs) {
    const unsigned threads = threads_worth(pairs.size() * orders_.stride * kAtOnce, threads_);
    parallel_blocks(pairs.size(), kAtOnce, threads, [&](std::size_t begin, std::size_t end) {
      Side there;
      Side back;
      for (std::size_t i = begin; i < end; ++i) settle(pairs[i], there, back);
    });
    for (const Pair& pair : pairs) {
      add_flow(pair.a, pair.b);
      add_flow(pair.b, pair.a);
    }
  }

  void settle(Pair pair, Side& there, Side& back) {
    const unsigned on = hops(pair.b, pair.a) - 1;
    find(pair.a, pair.b, on, there);
    if (there.lanes == 0) return;
    find(pair.b, pair.a, on, back);
    if ((there.lanes & back.lanes) == 0) return;
    weigh(pair.a, pair.b, there);
    weigh(pair.b, pair.a, back);
    const unsigned lane = choose(there, back, preferred_[pairs_.at(pair.b, pair.a)]);
    set_lane(pair, lane);
    take(pair.a, pair.b, lane, there);
    take(pair.b, pair.a, lane, back);
  }

  void set_lane(Pair pair, unsigned lane) {
    pairs_.lane[pairs_.at(pair.a, pair.b)] = pairs_.lane[pairs_.at(pair.b, pair.a)] =
        static_cast<std::uint8_t>(lane);
  }

  /// Finds the arcs to neighbors that are `hops_on` hops from the destination, with the possible
  /// lanes.
  void find(std::uint32_t from, std::uint32_t to, unsigned hops_on, Side& side) {
    side.arcs.clear();
    side.lanes = 0;
    const std::size_t stride = orders_.stride;
    side.bounds.resize(arcs_.degree(from) * stride);
    for (std::uint32_t arc = arcs_.begin[from]; arc < arcs_.begin[from + 1]; ++arc) {
      const std::uint32_t over = arcs_.head[arc];
      if (hops(to, over) != hops_on) continue;
      Limit* const bound = side.bounds.data() + side.arcs.size() * stride;
      orders_.bound(arc, limit(to, over), bound);
      std::uint32_t lanes = 0;
      for (std::size_t l = 0; l < stride; ++l) lanes |= std::uint32_t{bound[l] != kClosed} << l;
      if (lanes == 0) continue;
      side.lanes |= lanes;
      side.arcs.push_back(arc);
    }
  }

  /// Number of pairs of an arc and a lane by which neighbors one hop farther from the destination
  /// may use this path. Lanes beyond `enough` do not count: otherwise paths concentrate on the
  /// escape tree, which all lanes allow.
  std::uint32_t worth(std::uint32_t from, std::uint32_t to, const Limit* bound) const {
    std::uint32_t sum = 0;
    const unsigned behind = hops(to, from) + 1;
    for (std::uint32_t out = arcs_.begin[from]; out < arcs_.begin[from + 1]; ++out) {
      if (hops(to, arcs_.head[out]) != behind) continue;
      const Limit* const number = orders_.number_of(arcs_.reverse[out]);
      std::uint32_t lanes = 0;
      for (std::size_t l = 0; l < orders_.stride; ++l) lanes += number[l] < bound[l] ? 1 : 0;
      sum += std::min(lanes, enough_);
    }
    return sum;
  }

  void weigh(std::uint32_t from, std::uint32_t to, Side& side) const {
    side.worth.clear();
    side.cost.clear();
    const std::uint32_t* const next = next_.data() + pairs_.at(to, 0);
    for (std::size_t i = 0; i < side.arcs.size(); ++i) {
      side.worth.push_back(worth(from, to, side.bounds.data() + i * orders_.stride));
      std::uint64_t cost = load_[side.arcs[i]];
      for (std::uint32_t at = arcs_.head[side.arcs[i]]; at != to; at = arcs_.head[next[at]])
        cost += load_[next[at]];
      side.cost.push_back(cost);
    }
  }

  /// The best arc on a lane, as index into side.arcs.
  std::size_t best(const Side& side, unsigned lane) const {
    const auto is_open = [&](std::size_t i) {
      return side.bounds[i * orders_.stride + lane] != kClosed;
    };
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < side.arcs.size(); ++i)
      if (is_open(i)) most = std::max(most, side.worth[i]);
    std::size_t best = side.arcs.size();
    for (std::size_t i = 0; i < side.arcs.size(); ++i)
      if (is_open(i) && is_nearly(side.worth[i], most) &&
          (best == side.arcs.size() || side.cost[i] < side.cost[best]))
        best = i;
    return best;
  }

  unsigned choose(const Side& there, const Side& back, std::uint8_t preferred) const {
    const std::uint32_t both = there.lanes & back.lanes;
    std::array<std::uint32_t, kLanesMost> worth{};
    std::array<std::uint64_t, kLanesMost> cost{};
    std::uint32_t most = 0;
    for (unsigned l = 0; l < orders_.lanes; ++l) {
      if ((both >> l & 1) == 0) continue;
      const std::size_t i = best(there, l);
      const std::size_t j = best(back, l);
      worth[l] = there.worth[i] + back.worth[j];
      cost[l] = 2 * (there.cost[i] + back.cost[j]) + (l == preferred ? 0 : 1);
      most = std::max(most, worth[l]);
    }
    unsigned chosen = orders_.lanes;
    for (unsigned l = 0; l < orders_.lanes; ++l)
      if ((both >> l & 1) != 0 && is_nearly(worth[l], most) &&
          (chosen == orders_.lanes || cost[l] < cost[chosen]))
        chosen = l;
    return chosen;
  }

  /// Takes the best arc, and all further arcs that exclude no path of a neighbor one hop farther
  /// away.
  void take(std::uint32_t from, std::uint32_t to, unsigned lane, Side& side) {
    const std::size_t stride = orders_.stride;
    const std::size_t first = best(side, lane);
    next_[pairs_.at(to, from)] = side.arcs[first];
    Limit* const limit = this->limit(to, from);
    std::copy_n(side.bounds.data() + first * stride, stride, limit);
    for (std::size_t i = 0; i < side.arcs.size(); ++i) {
      const Limit* const bound = side.bounds.data() + i * stride;
      if (i == first || bound[lane] == kClosed) continue;
      for (std::size_t l = 0; l < stride; ++l) side.merged[l] = std::min(limit[l], bound[l]);
      if (worth(from, to, side.merged.data()) >= side.worth[first])
        std::copy_n(side.merged.data(), stride, limit);
    }
  }

  void add_flow(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t* const next = next_.data() + pairs_.at(to, 0);
    if (next[from] == kNoArc) return;
    const std::uint64_t flow =
        std::max<std::uint64_t>(1, std::uint64_t{weight_[from]} * weight_[to]) * kFlowUnit;
    for (; from != to; from = arcs_.head[next[from]])
      load_[next[from]] += flow / arcs_.channels_of(next[from]).size();
  }

  /// Assigns a lane that has a short detour in both directions, if there is one. Adds the pair to
  /// the demand of all lanes if its endports have a weight.
  void leave_open(Pair pair) {
    const std::uint64_t sent = std::uint64_t{weight_[pair.a]} * weight_[pair.b];
    pairs_.open += 2 * sent;
    if (sent > 0)
      pairs_.demand[pairs_.at(pair.a, pair.b)] = pairs_.demand[pairs_.at(pair.b, pair.a)] =
          kAnyLane;
    const std::uint8_t preferred = preferred_[pairs_.at(pair.b, pair.a)];
    set_lane(pair, preferred == kAnyLane ? 0 : preferred);
    Side there;
    Side back;
    for (unsigned more = 0; more < kDetourMost; ++more) {
      find(pair.a, pair.b, hops(pair.b, pair.a) + more, there);
      find(pair.b, pair.a, hops(pair.b, pair.a) + more, back);
      const std::uint32_t both = there.lanes & back.lanes;
      if (both == 0) continue;
      if (preferred == kAnyLane || (both >> preferred & 1) == 0)
        set_lane(pair, static_cast<unsigned>(std::countr_zero(both)));
      return;
    }
  }

  const Arcs& arcs_;
  const LaneOrders& orders_;
  std::span<const std::uint8_t> preferred_;
  std::span<const std::uint32_t> weight_;
  const unsigned threads_;
  const std::uint32_t enough_;  // number of lanes that count; see worth()
  PairLanes pairs_;
  std::vector<std::uint16_t> hops_;  // by pair
  std::vector<std::uint32_t> next_;  // by pair: the arc of the path on which loads are counted
  std::vector<std::uint64_t> load_;  // by arc
};

}  // namespace

PairLanes assign_pair_lanes(const Arcs& arcs, const LaneOrders& orders,
                            std::span<const std::uint8_t> preferred,
                            std::span<const std::uint32_t> weight, unsigned enough,
                            unsigned threads) {
  return Settling(arcs, orders, preferred, weight, enough, threads).run();
}

}  // namespace weft::nue
