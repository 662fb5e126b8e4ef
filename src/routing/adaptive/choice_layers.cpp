// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/choice_layers.h"

#include <algorithm>

#include "base/check.h"

namespace weft {

ChoiceLayers::ChoiceLayers(const Turns& turns, const Trunks& trunks,
                           std::span<const std::uint32_t> hosts, ChoiceDags& dags,
                           unsigned layers_max)
    : turns_(turns),
      trunks_(trunks),
      hosts_(hosts),
      dags_(dags),
      layers_max_(layers_max),
      usable_(dags.switches(), 0) {}

std::vector<ChoiceLayers::Pair> ChoiceLayers::farthest_first() const {
  std::vector<std::vector<Pair>> by_level;
  for (std::uint32_t a = 0; a < dags_.switches(); ++a)
    for (std::uint32_t b = a + 1; b < dags_.switches(); ++b) {
      if (hosts_[a] == 0 && hosts_[b] == 0) continue;
      if (dags_.level(a, b) == ChoiceDags::kUnreached ||
          dags_.level(b, a) == ChoiceDags::kUnreached)
        continue;
      const std::size_t level = std::max(dags_.level(a, b), dags_.level(b, a));
      if (by_level.size() <= level) by_level.resize(level + 1);
      by_level[level].push_back({a, b});
    }
  std::vector<Pair> all;
  for (auto level = by_level.rbegin(); level != by_level.rend(); ++level)
    all.insert(all.end(), level->begin(), level->end());
  return all;
}

void ChoiceLayers::reset(unsigned layers) {
  graphs_.assign(layers, AcyclicTurns(turns_));
  held_.assign(layers, TurnSet(turns_));
  refused_.assign(layers, std::vector<std::uint8_t>(turns_.count(), 0));
  reached_.assign(std::size_t{dags_.switches()} * dags_.switches(), 0);
  of_pair_.assign(reached_.size(), 0);
}

/// Keeps the changes of the trial, and sets the layer of the pair.
void ChoiceLayers::settle(Pair pair, unsigned layer) {
  for (const auto& [in, out] : trial_.turns) held_[layer].add(lead(in), lead(out));
  of_pair_[place(pair.a, pair.b)] = static_cast<std::uint8_t>(layer);
  of_pair_[place(pair.b, pair.a)] = static_cast<std::uint8_t>(layer);
}

unsigned ChoiceLayers::count() const {
  return of_pair_.empty() ? 1 : std::ranges::max(of_pair_) + 1u;
}

bool ChoiceLayers::settle_all() {
  reset(1);
  for (const Pair pair : farthest_first()) {
    unsigned layer = 0;
    while (layer < graphs_.size() && !try_all(pair, layer)) ++layer;
    if (layer == graphs_.size()) {
      if (layer == layers_max_) return false;
      graphs_.emplace_back(turns_);
      held_.emplace_back(turns_);
      refused_.emplace_back(turns_.count(), std::uint8_t{0});
      if (!try_all(pair, layer)) return false;
    }
    settle(pair, layer);
  }
  return true;
}

bool ChoiceLayers::settle_with(const BasePaths& base) {
  reset(layers_max_);
  if (!add_base_paths(base)) return false;
  for (const Pair pair : farthest_first()) {
    const auto layer = best_layer(pair, base);
    if (!layer) return false;
    settle(pair, *layer);
    if (base.layer.empty()) continue;
    AcyclicTurns& reserved = graphs_[base.layer[place(pair.a, pair.b)]];
    reserved.remove_path(base_path(pair.a, pair.b, base));
    reserved.remove_path(base_path(pair.b, pair.a, base));
  }
  return true;
}

/// Selects the first of the layers on which the fewest next hops must be removed, and removes
/// these. Returns nullopt if the pair fits on no layer.
std::optional<unsigned> ChoiceLayers::best_layer(Pair pair, const BasePaths& base) {
  std::optional<unsigned> best;
  std::size_t fewest = 0;
  for (unsigned layer = 0; layer < graphs_.size(); ++layer) {
    const bool fits = try_some(pair, layer, base);
    if (fits && trial_.dropped.empty()) return layer;
    if (fits && (!best || trial_.dropped.size() < fewest)) {
      fewest = trial_.dropped.size();
      best = layer;
    }
    undo();
  }
  if (best) CHECK(try_some(pair, *best, base));
  return best;
}

/// Puts all next hops of both directions on one layer. Returns false, without a change, if this
/// would close a cycle.
bool ChoiceLayers::try_all(Pair pair, unsigned layer) {
  begin_trial(layer);
  if (add_all(pair.a, pair.b) && add_all(pair.b, pair.a)) return true;
  undo();
  return false;
}

/// Adds the turns of all paths from `from` to `to`. If a turn would close a cycle, returns false;
/// the turns that were added must be removed by undo().
bool ChoiceLayers::add_all(std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t sw) {
    if (is_reached(sw, to)) return;
    reached_[place(sw, to)] |= static_cast<std::uint16_t>(1u << trial_.layer);
    trial_.reached.push_back(place(sw, to));
    open.push_back(sw);
  };
  reach(from);
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const bool free = dags_.each(at, to, [&](std::uint32_t trunk) {
      const std::uint32_t next = trunks_.head[trunk];
      if (next == to) return true;
      if (!add_next_hop(trunk, to)) return false;
      reach(next);
      return true;
    });
    if (!free) return false;
  }
  return true;
}

/// Adds the turns from a next hop to the following next hops. Returns false if a turn would close a
/// cycle.
bool ChoiceLayers::add_next_hop(std::uint32_t trunk, std::uint32_t to) {
  return dags_.each(trunks_.head[trunk], to, [&](std::uint32_t out) { return put(trunk, out); });
}

/// Removes next hops so that the others fit on the layer. Returns false if the pair does not fit;
/// undo() must then restore turns and next hops.
bool ChoiceLayers::try_some(Pair pair, unsigned layer, const BasePaths& base) {
  begin_trial(layer);
  for (const auto& [from, to] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
    const std::size_t first = trial_.turns.size();
    const std::size_t first_dropped = trial_.dropped.size();
    if (!drop_cycles(from, to, base)) return false;
    restore_unreached(from, to, first_dropped);
    undo_turns(first);
    CHECK(add_all(from, to));
  }
  return true;
}

/// Removes next hops that would close a cycle. Switches nearer to `to` are processed first, so that
/// the remaining next hops of a neighbor are known. If the base path of a switch does not fit, no
/// path of this layer may pass through the switch: next hops to the switch are removed, and next
/// hops from the switch are kept.
bool ChoiceLayers::drop_cycles(std::uint32_t from, std::uint32_t to, const BasePaths& base) {
  std::vector<std::uint32_t> near_first = reachable(from, to);
  std::ranges::stable_sort(near_first, {}, [&](std::uint32_t sw) { return dags_.level(sw, to); });
  for (const std::uint32_t sw : near_first) {
    usable_[sw] = is_reached(sw, to) || add_base(sw, to, base) ? 1 : 0;
    if (usable_[sw] == 0 || is_reached(sw, to)) continue;
    std::vector<std::uint32_t> closing;
    dags_.each(sw, to, [&](std::uint32_t trunk) {
      const std::uint32_t next = trunks_.head[trunk];
      if (next != to && (usable_[next] == 0 || !add_next_hop(trunk, to))) closing.push_back(trunk);
      return true;
    });
    for (const std::uint32_t trunk : closing) drop(to, trunk);
  }
  return usable_[from] != 0;
}

/// Adds the next hop of the base path. A following next hop is removed if the turn to that next hop
/// would close a cycle.
bool ChoiceLayers::add_base(std::uint32_t sw, std::uint32_t to, const BasePaths& base) {
  const std::uint32_t trunk = base.trunk[place(sw, to)];
  const std::uint32_t next = trunks_.head[trunk];
  if (next == to) return true;
  if (usable_[next] == 0) return false;
  const std::uint32_t after = base.trunk[place(next, to)];
  if (!put(trunk, after)) return false;
  std::vector<std::uint32_t> closing;
  dags_.each(next, to, [&](std::uint32_t out) {
    if (out != after && !put(trunk, out)) closing.push_back(out);
    return true;
  });
  for (const std::uint32_t out : closing) drop(to, out);
  return true;
}

/// Restores removed next hops of switches through which packets from `from` can no longer pass.
void ChoiceLayers::restore_unreached(std::uint32_t from, std::uint32_t to,
                                     std::size_t first_dropped) {
  std::vector<bool> passed(dags_.switches(), false);
  for (const std::uint32_t sw : reachable(from, to)) passed[sw] = true;
  auto& dropped = trial_.dropped;
  for (std::size_t i = first_dropped; i < dropped.size(); ++i)
    if (!passed[trunks_.tail[dropped[i].second]]) dags_.restore(to, dropped[i].second);
  dropped.erase(
      std::remove_if(dropped.begin() + static_cast<std::ptrdiff_t>(first_dropped), dropped.end(),
                     [&](const auto& one) { return !passed[trunks_.tail[one.second]]; }),
      dropped.end());
}

bool ChoiceLayers::put(std::uint32_t in, std::uint32_t out) {
  if (held_[trial_.layer].has(lead(in), lead(out))) return true;
  AcyclicTurns& graph = graphs_[trial_.layer];
  std::uint8_t& refused = refused_[trial_.layer][turns_.turn(lead(in), lead(out))];
  if (refused == kRefusedMax && !graph.has(lead(in), lead(out))) return false;
  if (!graph.add(lead(in), lead(out))) {
    ++refused;
    return false;
  }
  trial_.turns.emplace_back(in, out);
  return true;
}

void ChoiceLayers::drop(std::uint32_t to, std::uint32_t trunk) {
  dags_.drop(to, trunk);
  trial_.dropped.emplace_back(to, trunk);
}

void ChoiceLayers::undo_turns(std::size_t first) {
  for (; trial_.turns.size() > first; trial_.turns.pop_back())
    graphs_[trial_.layer].remove(lead(trial_.turns.back().first), lead(trial_.turns.back().second));
}

void ChoiceLayers::undo() {
  undo_turns(0);
  for (const std::size_t at : trial_.reached)
    reached_[at] &= static_cast<std::uint16_t>(~(1u << trial_.layer));
  for (const auto& [to, trunk] : trial_.dropped) dags_.restore(to, trunk);
  begin_trial(trial_.layer);
}

void ChoiceLayers::begin_trial(unsigned layer) {
  trial_.layer = layer;
  if (dags_.tables() > 1) dags_.select(layer);
  trial_.turns.clear();
  trial_.reached.clear();
  trial_.dropped.clear();
}

bool ChoiceLayers::add_base_paths(const BasePaths& base) {
  if (base.layer.empty()) return true;
  for (const Pair pair : farthest_first())
    for (const auto& [from, to] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)})
      if (!graphs_[base.layer[place(from, to)]].add_path(base_path(from, to, base))) return false;
  return true;
}

/// The base path as the first channels of its trunks.
std::vector<std::uint32_t> ChoiceLayers::base_path(std::uint32_t from, std::uint32_t to,
                                                   const BasePaths& base) const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t at = from; at != to; at = trunks_.head[base.trunk[place(at, to)]])
    path.push_back(lead(base.trunk[place(at, to)]));
  return path;
}

/// The switches that packets from `from` to `to` may pass through, including `from`.
std::vector<std::uint32_t> ChoiceLayers::reachable(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint32_t> found{from};
  std::vector<bool> seen(dags_.switches(), false);
  seen[from] = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    dags_.each(found[i], to, [&](std::uint32_t trunk) {
      const std::uint32_t next = trunks_.head[trunk];
      if (next != to && !seen[next]) {
        seen[next] = true;
        found.push_back(next);
      }
      return true;
    });
  return found;
}

}  // namespace weft
