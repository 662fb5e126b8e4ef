#include "routing/shared/layers.h"

#include <algorithm>
#include <bit>

#include "routing/shared/acyclic_turns.h"

namespace weft {
namespace {

using Mask = std::uint16_t;  // a bit for each layer

constexpr std::uint64_t kSearches = 128;  // of each layer, in visits of each channel

struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t hops = 0;
};

class Layering {
 public:
  Layering(const Fabric& fabric, const Turns& turns, const SwitchTrees& trees, unsigned layers_max)
      : fabric_(fabric),
        turns_(turns),
        trees_(trees),
        all_(static_cast<Mask>((1u << layers_max) - 1)),
        search_limit_(kSearches * std::max(1u, turns.channel_count())),
        has_(turns.count(), 0),
        closed_(turns.count(), 0) {
    layers_.of_pair.assign(std::size_t{trees.switches()} * trees.switches(), 0);
  }

  bool lay(Pair pair);
  void balance(std::span<const Pair> pairs);
  Layers take() {
    layers_.count = std::max<unsigned>(1, static_cast<unsigned>(graphs_.size()));
    return std::move(layers_);
  }

 private:
  void trace(Pair pair);
  void trace(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& path);
  bool add(unsigned layer);
  bool add(unsigned layer, std::span<const std::uint32_t> path);
  void remove(unsigned layer, std::span<const std::uint32_t> path);
  void place(Pair pair, unsigned layer);

  const Fabric& fabric_;
  const Turns& turns_;
  const SwitchTrees& trees_;
  const Mask all_;
  const std::uint64_t search_limit_;
  std::vector<AcyclicTurns> graphs_;  // by layer
  std::vector<std::uint64_t> pairs_;  // by layer
  std::vector<Mask> has_;             // by turn: layers that have it
  std::vector<Mask> closed_;          // by turn: layers on which it closes a cycle
  Layers layers_;
  // The pair at hand.
  std::vector<std::uint32_t> there_;  // channels from a to b
  std::vector<std::uint32_t> back_;   // channels from b to a
  Mask lies_ = 0;                     // layers that have all its turns
  Mask can_ = 0;                      // layers that are not known to be closed to it
};

void Layering::trace(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& path) {
  path.clear();
  const auto next = trees_.toward(to);
  for (std::uint32_t at = from; at != to; at = fabric_.channel(ChannelId(next[at])).to.value())
    path.push_back(next[at]);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::uint32_t turn = turns_.turn(path[i], path[i + 1]);
    lies_ &= has_[turn];
    can_ &= static_cast<Mask>(~closed_[turn]);
  }
}

void Layering::trace(Pair pair) {
  lies_ = can_ = all_;
  trace(pair.a, pair.b, there_);
  trace(pair.b, pair.a, back_);
}

/// Adds one of the two paths to a layer, or nothing.
bool Layering::add(unsigned layer, std::span<const std::uint32_t> path) {
  const auto bit = static_cast<Mask>(1u << layer);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::uint32_t turn = turns_.turn(path[i], path[i + 1]);
    if (graphs_[layer].add(path[i], path[i + 1])) {
      has_[turn] |= bit;
      continue;
    }
    remove(layer, path.first(i + 1));
    // Closed for good only if the rest of this path has no part in the cycle.
    if (i == 0 || !graphs_[layer].add(path[i], path[i + 1])) {
      closed_[turn] |= bit;
    } else {
      graphs_[layer].remove(path[i], path[i + 1]);
    }
    return false;
  }
  return true;
}

void Layering::remove(unsigned layer, std::span<const std::uint32_t> path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    graphs_[layer].remove(path[i], path[i + 1]);
    if (!graphs_[layer].has(path[i], path[i + 1]))
      has_[turns_.turn(path[i], path[i + 1])] &= static_cast<Mask>(~(1u << layer));
  }
}

bool Layering::add(unsigned layer) {
  if (!add(layer, there_)) return false;
  if (add(layer, back_)) return true;
  remove(layer, there_);
  return false;
}

void Layering::place(Pair pair, unsigned layer) {
  ++pairs_[layer];
  layers_.of_pair[std::size_t{pair.a} * trees_.switches() + pair.b] =
      layers_.of_pair[std::size_t{pair.b} * trees_.switches() + pair.a] =
          static_cast<std::uint8_t>(layer);
}

bool Layering::lay(Pair pair) {
  if (trees_.toward(pair.b)[pair.a] == SwitchTrees::kNoWay) return true;  // no cables join them
  trace(pair);
  // A layer that has both paths is not made any narrower by them.
  for (const Mask choice : {lies_, can_})
    for (Mask left = choice; left != 0; left &= static_cast<Mask>(left - 1)) {
      const auto layer = static_cast<unsigned>(std::countr_zero(left));
      while (graphs_.size() <= layer) {
        graphs_.emplace_back(turns_, search_limit_);
        pairs_.push_back(0);
      }
      if (!add(layer)) continue;
      place(pair, layer);
      return true;
    }
  return false;
}

/// Moves pairs from layers that have more than their share to those that have least.
void Layering::balance(std::span<const Pair> pairs) {
  if (graphs_.size() < 2) return;
  const std::uint64_t share = (pairs.size() + graphs_.size() - 1) / graphs_.size();
  std::ranges::fill(closed_, Mask{0});  // layers lose turns from here on: only hints
  for (const Pair& pair : pairs) {
    const unsigned from = layers_.of_pair[std::size_t{pair.a} * trees_.switches() + pair.b];
    if (pairs_[from] <= share || trees_.toward(pair.b)[pair.a] == SwitchTrees::kNoWay) continue;
    trace(pair);
    const auto to = static_cast<unsigned>(std::ranges::min_element(pairs_) - pairs_.begin());
    if ((can_ >> to & 1) == 0 || !add(to)) continue;
    remove(from, there_);
    remove(from, back_);
    --pairs_[from];
    place(pair, to);
  }
}

std::uint32_t hops_between(const Fabric& fabric, const SwitchTrees& trees, std::uint32_t from,
                           std::uint32_t to) {
  const auto next = trees.toward(to);
  std::uint32_t hops = 0;
  for (std::uint32_t at = from; at != to && next[at] != SwitchTrees::kNoWay; ++hops)
    at = fabric.channel(ChannelId(next[at])).to.value();
  return hops;
}

}  // namespace

std::optional<Layers> lay_pairs(const Fabric& fabric, const Turns& turns, const SwitchTrees& trees,
                                unsigned layers_max) {
  std::vector<Pair> pairs;
  for (std::uint32_t b = 0; b < trees.switches(); ++b)
    for (std::uint32_t a = 0; a < b; ++a)
      if (!fabric.endports_at(SwitchId(a)).empty() || !fabric.endports_at(SwitchId(b)).empty())
        pairs.push_back({a, b, hops_between(fabric, trees, a, b)});
  // The longest are the hardest to fit.
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &Pair::hops);
  Layering layering(fabric, turns, trees, layers_max);
  for (const Pair& pair : pairs)
    if (!layering.lay(pair)) return std::nullopt;
  layering.balance(pairs);
  return layering.take();
}

}  // namespace weft
