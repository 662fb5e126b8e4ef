// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/escape.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace weft::nue {
namespace {

constexpr double kUnit = 1024;

/// Brandes' accumulation from one source, counting paths that end at a target.
class Accumulation {
 public:
  explicit Accumulation(const Arcs& arcs)
      : arcs_(arcs), hops_(arcs.switches), paths_(arcs.switches), share_(arcs.switches) {}

  void add(std::uint32_t source, const std::vector<std::uint8_t>& target,
           std::vector<std::uint64_t>& sum) {
    search(source);
    // Local copies, so that stores to memory do not force the compiler to reload the pointers. The
    // functions below use such copies, too.
    const std::uint32_t* const head = arcs_.head.data();
    const std::uint32_t* const hops = hops_.data();
    const double* const paths = paths_.data();
    double* const share = share_.data();
    for (std::size_t i = queue_.size(); i-- > 1;) {
      const std::uint32_t at = queue_[i];
      const double through = share[at];
      sum[at] += static_cast<std::uint64_t>(through * kUnit);
      const double each = (through + target[at]) / paths[at];
      for (std::uint32_t a = arcs_.begin[at], end = arcs_.begin[at + 1]; a < end; ++a)
        if (const std::uint32_t to = head[a]; hops[to] + 1 == hops[at])
          share[to] += each * paths[to];
    }
  }

 private:
  void search(std::uint32_t source) {
    std::ranges::fill(hops_, kUnreachable);
    std::ranges::fill(paths_, 0.0);
    std::ranges::fill(share_, 0.0);
    queue_.assign(1, source);
    hops_[source] = 0;
    paths_[source] = 1;
    const std::uint32_t* const head = arcs_.head.data();
    std::uint32_t* const hops = hops_.data();
    double* const paths = paths_.data();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::uint32_t at = queue_[i];
      const std::uint32_t there = hops[at] + 1;
      for (std::uint32_t a = arcs_.begin[at], end = arcs_.begin[at + 1]; a < end; ++a) {
        const std::uint32_t to = head[a];
        if (hops[to] == kUnreachable) {
          hops[to] = there;
          queue_.push_back(to);
        }
        if (hops[to] == there) paths[to] += paths[at];
      }
    }
  }

  const Arcs& arcs_;
  std::vector<std::uint32_t> hops_;
  std::vector<double> paths_;
  std::vector<double> share_;
  std::vector<std::uint32_t> queue_;
};

/// An escape forest while switches are added one by one.
struct Growth {
  explicit Growth(const Arcs& arcs) {
    escape.up.assign(arcs.switches, kNoArc);
    in.assign(arcs.switches, 0);
  }
  bool has(std::uint32_t sw) const { return in[sw] != 0; }
  void add(std::uint32_t sw, std::uint32_t up = kNoArc) {
    in[sw] = 1;
    escape.up[sw] = up;
    escape.sequence.push_back(sw);
  }

  Escape escape;
  std::vector<std::uint8_t> in;
};

/// The switches that can be added to the tree next: a root, or switches with a link to the tree.
/// They are in order of preference for each number of such links. Each number of links has a row of
/// words with a bit for each switch.
class Queue {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit Queue(const Arcs& arcs) : words_((arcs.switches + 63) / 64) {
    const std::uint32_t degree = arcs.degree_max();
    waiting_.resize(words_ * (degree + std::size_t{1}));
    count_.resize(degree + std::size_t{1});
  }
  void put(std::uint32_t links, std::uint32_t preference) {
    waiting_[links * words_ + preference / 64] |= bit(preference);
    ++count_[links];
    most_ = std::max(most_, links);
  }
  void drop(std::uint32_t links, std::uint32_t preference) {
    waiting_[links * words_ + preference / 64] &= ~bit(preference);
    --count_[links];
  }
  /// Removes and returns the first of the switches with the most links; kNone if the queue is
  /// empty.
  std::uint32_t take() {
    while (most_ > 0 && count_[most_] == 0) --most_;
    if (count_[most_] == 0) return kNone;
    std::size_t word = 0;
    while (waiting_[most_ * words_ + word] == 0) ++word;
    const auto found = static_cast<std::uint32_t>(
        word * 64 + static_cast<unsigned>(std::countr_zero(waiting_[most_ * words_ + word])));
    drop(most_, found);
    return found;
  }

 private:
  static std::uint64_t bit(std::uint32_t preference) {
    return std::uint64_t{1} << (preference % 64);
  }
  std::size_t words_;
  std::vector<std::uint64_t> waiting_;
  std::vector<std::uint32_t> count_;  // by number of links
  std::uint32_t most_ = 0;            // no switch in the queue has more links
};

}  // namespace

std::vector<std::uint8_t> Escape::needed(const Arcs& arcs,
                                         std::span<const std::uint32_t> destinations) const {
  std::vector<std::uint8_t> has_destinations(arcs.switches,
                                             0);  // by switch: 1 if its subtree has destinations
  for (const std::uint32_t destination : destinations) has_destinations[destination] = 1;
  std::vector<std::uint8_t> result(arcs.count(), 0);
  for (std::size_t i = sequence.size(); i-- > 0;) {
    const std::uint32_t sw = sequence[i];
    if (up[sw] == kNoArc) continue;
    result[up[sw]] = 1;
    result[arcs.reverse[up[sw]]] = has_destinations[sw];
    has_destinations[arcs.head[up[sw]]] |= has_destinations[sw];
  }
  return result;
}

std::vector<std::uint64_t> betweenness(const Arcs& arcs, std::span<const std::uint32_t> targets) {
  std::vector<std::uint64_t> sum(arcs.switches, 0);
  std::vector<std::uint8_t> target(arcs.switches, 0);
  for (const std::uint32_t t : targets) target[t] = 1;
  Accumulation accumulation(arcs);
  for (const std::uint32_t source : targets) accumulation.add(source, target, sum);
  return sum;
}

std::vector<std::uint32_t> central_first(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                         std::span<const std::uint64_t> centrality) {
  std::vector<std::uint32_t> order(arcs.switches);
  for (std::uint32_t s = 0; s < arcs.switches; ++s) order[s] = s;
  const std::uint32_t most = weight.empty() ? 0 : std::ranges::max(weight);
  std::ranges::sort(order, std::ranges::greater{}, [&](std::uint32_t s) {
    return std::tuple(weight[s] > 0 && 2 * weight[s] >= most, centrality[s], arcs.degree(s), ~s);
  });
  return order;
}

Escape breadth_first(const Arcs& arcs, std::span<const std::uint32_t> roots) {
  Growth growth(arcs);
  for (const std::uint32_t root : roots) {
    if (growth.has(root)) continue;
    std::size_t next = growth.escape.sequence.size();
    growth.add(root);
    for (; next < growth.escape.sequence.size(); ++next) {
      const std::uint32_t at = growth.escape.sequence[next];
      for (std::uint32_t a = arcs.begin[at]; a < arcs.begin[at + 1]; ++a)
        if (!growth.has(arcs.head[a])) growth.add(arcs.head[a], arcs.reverse[a]);
    }
  }
  return std::move(growth.escape);
}

Escape densest_first(const Arcs& arcs, std::span<const std::uint32_t> roots,
                     std::span<const std::uint32_t> preference) {
  Growth growth(arcs);
  std::vector<std::uint32_t> links(arcs.switches, 0);  // to switches in the tree
  std::vector<std::uint32_t> first(arcs.switches, kNoArc);
  std::vector<std::uint32_t> preferred(arcs.switches);
  for (std::uint32_t s = 0; s < arcs.switches; ++s) preferred[preference[s]] = s;
  Queue queue(arcs);
  for (const std::uint32_t root : roots) {
    if (growth.has(root)) continue;
    queue.put(0, preference[root]);
    for (std::uint32_t next = queue.take(); next != Queue::kNone; next = queue.take()) {
      const std::uint32_t at = preferred[next];
      growth.add(at, first[at]);
      for (std::uint32_t a = arcs.begin[at]; a < arcs.begin[at + 1]; ++a) {
        const std::uint32_t to = arcs.head[a];
        if (growth.has(to)) continue;
        if (first[to] == kNoArc) {
          first[to] = arcs.reverse[a];
        } else {
          queue.drop(links[to], preference[to]);
        }
        queue.put(++links[to], preference[to]);
      }
    }
  }
  return std::move(growth.escape);
}

Escape rerooted(const Arcs& arcs, const Escape& tree, std::span<const std::uint32_t> roots,
                std::span<const std::uint32_t> preference) {
  std::vector<std::uint8_t> of_tree(arcs.count(), 0);
  for (const std::uint32_t up : tree.up)
    if (up != kNoArc) of_tree[up] = of_tree[arcs.reverse[up]] = 1;
  Growth growth(arcs);
  std::vector<std::uint32_t> links(arcs.switches, 0);  // to switches in the tree
  std::vector<std::uint32_t> above(arcs.switches,
                                   kNoArc);  // by queued switch: arc to the tree
  std::vector<std::uint32_t> preferred(arcs.switches);
  for (std::uint32_t s = 0; s < arcs.switches; ++s) preferred[preference[s]] = s;
  Queue queue(arcs);
  for (const std::uint32_t root : roots) {
    if (growth.has(root)) continue;
    queue.put(0, preference[root]);
    for (std::uint32_t next = queue.take(); next != Queue::kNone; next = queue.take()) {
      const std::uint32_t at = preferred[next];
      growth.add(at, above[at]);
      for (std::uint32_t a = arcs.begin[at]; a < arcs.begin[at + 1]; ++a) {
        const std::uint32_t to = arcs.head[a];
        if (growth.has(to)) continue;
        if (above[to] != kNoArc) queue.drop(links[to], preference[to]);
        ++links[to];
        if (of_tree[a] != 0) above[to] = arcs.reverse[a];
        if (above[to] != kNoArc) queue.put(links[to], preference[to]);
      }
    }
  }
  return std::move(growth.escape);
}

}  // namespace weft::nue
