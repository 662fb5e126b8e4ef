#include "routing/deadlock/layered_pairs.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "fabric/hops.h"
#include "routing/balance/channel_weights.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/layers.h"
#include "routing/deadlock/switch_orders.h"

namespace weft {
namespace {

using Mask = SwitchOrders::Mask;

constexpr std::uint64_t kSearches = 64;  // limit of the last layer, in visits of each channel
constexpr std::size_t kTries = 64;       // pairs of paths tried on the last layer
// Limit of turns that agree with no order, for each trunk.
constexpr double kTurnsFree = 1.04;
constexpr unsigned kForTwoFree = 4;  // number of layers from which two are free
constexpr unsigned kRounds = 2;      // of balance
constexpr std::size_t kTile = 64;    // switches per side of a block of pairs

struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

struct Distances {
  std::vector<std::uint16_t> hops;       // row by destination
  std::vector<std::vector<Pair>> pairs;  // by distance

  /// Sum over all paths.
  double turns() const {
    double found = 0;
    for (std::size_t i = 2; i < pairs.size(); ++i)
      found += 2 * static_cast<double>((i - 1) * pairs[i].size());
    return found;
  }
};

Distances measure(const Fabric& fabric, const Trunks& trunks, std::span<const Destination> order,
                  unsigned threads) {
  const std::uint32_t switches = fabric.switch_count();
  Distances found{std::vector<std::uint16_t>(std::size_t{switches} * switches), {}};
  threads = threads_worth(std::uint64_t{switches} * trunks.count(), threads);
  parallel_for(switches, threads, [&](std::size_t d) {
    const SwitchId start[] = {SwitchId(static_cast<std::uint32_t>(d))};
    std::ranges::copy(hops_from(fabric, start), &found.hops[d * switches]);
  });
  const auto gather = [&](std::size_t i, std::size_t j) {
    const std::uint32_t one = order[i].sw.value(), other = order[j].sw.value();
    const std::uint32_t a = std::min(one, other), b = std::max(one, other);
    const std::uint16_t hops = found.hops[std::size_t{b} * switches + a];
    if (hops == kNoHops) return;
    if (hops >= found.pairs.size()) found.pairs.resize(std::size_t{hops} + 1);
    found.pairs[hops].push_back({a, b});
  };
  CHECK(order.size() == switches);
  for (std::size_t rows = 0; rows < switches; rows += kTile)
    for (std::size_t columns = 0; columns <= rows; columns += kTile)
      for (std::size_t i = rows; i < std::min<std::size_t>(rows + kTile, switches); ++i)
        for (std::size_t j = columns; j < std::min(columns + kTile, i); ++j) gather(i, j);
  return found;
}

/// The path of a switch to another, or a candidate for it.
struct Path {
  std::uint32_t trunk = LayeredPairs::kNoTrunk;  // the first of the path
  std::uint32_t trail = 0;                       // sum over its cables; equal for the reverse path
  Mask agree = 0;                                // orders that agree with all of its turns
};

struct Candidate {
  Path path;
  std::uint64_t cost = 0;
};

struct BothDirections {
  std::uint64_t cost = 0;
  std::uint32_t there = 0;
  std::uint32_t back = 0;
};

/// Greater for masks with lower orders. If all pairs prefer the same orders, the remaining paths
/// agree with them too.
unsigned in_order(Mask agree) {
  unsigned value = 0;
  for (unsigned order = 0; order < SwitchOrders::kMost; ++order)
    value = value << 1 | (agree >> order & 1u);
  return value;
}

class Layering {
 public:
  /// With an order for each layer, of which the last `free` are instead kept acyclic path by path.
  Layering(const Fabric& fabric, const Turns& turns, const Trunks& trunks,
           const Distances& distances, const SwitchOrders& orders, unsigned layers, unsigned free,
           bool many_first);

  /// False where some pair fits on no layer.
  bool run();
  /// Moves paths from heavily loaded trunks, as long as all pairs keep an order that they agree
  /// with.
  void balance();
  LayeredPairs take(unsigned threads);

 private:
  std::size_t at(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{to} * switches_ + from;
  }
  Path lone(std::uint32_t trunk) const;
  void find_candidates(std::uint32_t from, std::uint32_t to,
                       std::vector<Candidate>& candidates) const;
  bool choose(Pair pair);
  bool choose_alike(Pair pair);
  bool choose_on_last(Pair pair);
  void choose_freely(Pair pair);
  void balance_toward(std::uint32_t to);
  bool keeps_orders(std::uint32_t from, std::uint32_t to, const Path& path) const;
  void move(std::uint32_t from, std::uint32_t to, const Path& path);
  void settle(Pair pair, const Path& there, const Path& back);
  void trace(std::uint32_t trunk, std::uint32_t to, std::vector<std::uint32_t>& channels) const;
  void add_flows(std::uint32_t from, std::uint32_t to, std::uint64_t flows);
  std::vector<std::uint32_t> extend(unsigned layer) const;
  bool ascends(std::uint32_t from, std::uint32_t to, std::span<const std::uint32_t> place) const;
  std::vector<Mask> choices(unsigned threads) const;
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels(trunk).front(); }
  bool silent(Pair pair) const { return hosts_[pair.a] == 0 && hosts_[pair.b] == 0; }

  const Trunks& trunks_;
  const Distances& distances_;
  const SwitchOrders& orders_;
  const std::uint32_t switches_;
  const unsigned layers_;
  const unsigned first_free_;
  const bool many_first_;             // prefer paths that agree with many orders to cheap ones
  std::vector<Path> path_;            // row by destination
  std::vector<std::uint64_t> load_;   // by trunk
  std::vector<std::uint64_t> time_;   // by trunk: of a flow
  std::vector<std::uint32_t> hosts_;  // by switch
  std::vector<AcyclicTurns> free_;    // of layers from first_free_ on
  // The current tree: by switch, those that send over it, and the flows over it.
  std::vector<std::vector<std::uint32_t>> behind_;
  std::vector<std::uint64_t> flows_;
  std::vector<std::uint32_t> near_first_;
  // The current pair.
  std::vector<Candidate> there_;
  std::vector<Candidate> back_;
  std::vector<BothDirections> both_;
  std::vector<std::uint32_t> channels_there_;
  std::vector<std::uint32_t> channels_back_;
};

Layering::Layering(const Fabric& fabric, const Turns& turns, const Trunks& trunks,
                   const Distances& distances, const SwitchOrders& orders, unsigned layers,
                   unsigned free, bool many_first)
    : trunks_(trunks),
      distances_(distances),
      orders_(orders),
      switches_(fabric.switch_count()),
      layers_(layers),
      first_free_(layers - free),
      many_first_(many_first),
      path_(std::size_t{switches_} * switches_),
      load_(trunks.count(), 0),
      free_(free, AcyclicTurns(turns, kSearches * fabric.channel_count())) {
  // Each cable of a trunk has its share of the flows.
  const auto weights = channel_weights(fabric);
  constexpr std::uint64_t kWhole = 840;  // divisible by 2 to 8
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    time_.push_back(
        std::max<std::uint64_t>(1, weights[lead(t)] * kWhole / trunks.channels(t).size()));
  for (std::uint32_t s = 0; s < switches_; ++s)
    hosts_.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
}

bool Layering::run() {
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    path_[at(trunks_.from(t), trunks_.to(t))] = lone(t);
  for (std::size_t hops = 2; hops < distances_.pairs.size(); ++hops)
    for (const Pair& pair : distances_.pairs[hops])
      if (!choose(pair)) return false;
  return true;
}

/// A path of one trunk, which has no turn.
Path Layering::lone(std::uint32_t trunk) const {
  const std::uint64_t cable = std::min(trunk, trunks_.reverse(trunk)) + std::uint64_t{1};
  return {trunk, static_cast<std::uint32_t>(cable * cable * 0x9E3779B97F4A7C15u >> 32),
          static_cast<Mask>((1u << first_free_) - 1)};
}

void Layering::find_candidates(std::uint32_t from, std::uint32_t to,
                               std::vector<Candidate>& candidates) const {
  candidates.clear();
  const std::uint16_t* hops = &distances_.hops[at(0, to)];
  const Path* path = &path_[at(0, to)];
  for (std::uint32_t t = trunks_.first(from); t < trunks_.first(from + 1); ++t) {
    const std::uint32_t over = trunks_.to(t);
    if (hops[over] >= hops[from]) continue;
    const Path& rest = path[over];
    Candidate candidate{lone(t), load_[t]};
    candidate.path.trail += rest.trail;
    candidate.path.agree = rest.agree & orders_.agree(t, rest.trunk);
    for (std::uint32_t s = over; s != to; s = trunks_.to(path[s].trunk))
      candidate.cost += load_[path[s].trunk];
    candidates.push_back(candidate);
  }
}

bool Layering::choose(Pair pair) {
  find_candidates(pair.a, pair.b, there_);
  find_candidates(pair.b, pair.a, back_);
  if (choose_alike(pair)) return true;
  if (!silent(pair)) return choose_on_last(pair);
  choose_freely(pair);
  return true;
}

/// The cheapest paths that agree with some order, if possible one the reverse of the other.
bool Layering::choose_alike(Pair pair) {
  const Candidate* there = nullptr;
  const Candidate* back = nullptr;
  unsigned most = 0;
  for (const bool backward : {true, false}) {
    for (const Candidate& one : there_)
      for (const Candidate& other : back_) {
        if (backward && one.path.trail != other.path.trail) continue;
        const auto agree = static_cast<Mask>(one.path.agree & other.path.agree);
        if (agree == 0) continue;
        const unsigned many = many_first_ ? in_order(agree) : 0;
        const std::uint64_t cost = one.cost + other.cost;
        if (there && (many != most ? many < most : cost >= there->cost + back->cost)) continue;
        most = many;
        there = &one;
        back = &other;
      }
    if (!there) continue;
    settle(pair, there->path, back->path);
    return true;
  }
  return false;
}

bool Layering::choose_on_last(Pair pair) {
  both_.clear();
  for (std::uint32_t i = 0; i < there_.size(); ++i)
    for (std::uint32_t j = 0; j < back_.size(); ++j)
      both_.push_back({there_[i].cost + back_[j].cost, i, j});
  const std::size_t tries = std::min(both_.size(), kTries);
  std::ranges::partial_sort(
      both_, both_.begin() + static_cast<std::ptrdiff_t>(tries), {},
      [](const BothDirections& both) { return std::tuple(both.cost, both.there, both.back); });
  both_.resize(tries);
  for (const BothDirections& both : both_) {
    const Path& there = there_[both.there].path;
    const Path& back = back_[both.back].path;
    trace(there.trunk, pair.b, channels_there_);
    trace(back.trunk, pair.a, channels_back_);
    for (AcyclicTurns& free : free_) {
      if (!free.add_path(channels_there_)) continue;
      if (free.add_path(channels_back_)) {
        settle(pair, there, back);
        return true;
      }
      free.remove_path(channels_there_);
    }
  }
  return false;
}

/// Two switches without hosts do not send packets to each other: only the use in longer paths
/// counts.
void Layering::choose_freely(Pair pair) {
  const auto best = [&](const std::vector<Candidate>& candidates) {
    return std::ranges::min_element(
               candidates, {},
               [&](const Candidate& candidate) {
                 return std::pair(many_first_ ? -static_cast<int>(in_order(candidate.path.agree))
                                              : -std::popcount(candidate.path.agree),
                                  candidate.cost);
               })
        ->path;
  };
  settle(pair, best(there_), best(back_));
}

void Layering::settle(Pair pair, const Path& there, const Path& back) {
  path_[at(pair.a, pair.b)] = there;
  path_[at(pair.b, pair.a)] = back;
  // Paths of switches without hosts count too, because they are parts of others.
  const std::uint64_t flows =
      std::uint64_t{std::max(1u, hosts_[pair.a])} * std::max(1u, hosts_[pair.b]);
  add_flows(pair.a, pair.b, flows);
  add_flows(pair.b, pair.a, flows);
}

/// The first channels of the trunks of a path that begins with this one.
void Layering::trace(std::uint32_t trunk, std::uint32_t to,
                     std::vector<std::uint32_t>& channels) const {
  channels.assign(1, lead(trunk));
  for (std::uint32_t s = trunks_.to(trunk); s != to; s = trunks_.to(trunk)) {
    trunk = path_[at(s, to)].trunk;
    channels.push_back(lead(trunk));
  }
}

void Layering::add_flows(std::uint32_t from, std::uint32_t to, std::uint64_t flows) {
  for (std::uint32_t s = from; s != to;) {
    const std::uint32_t trunk = path_[at(s, to)].trunk;
    load_[trunk] += flows * time_[trunk];
    s = trunks_.to(trunk);
  }
}

void Layering::balance() {
  for (unsigned round = 0; round < kRounds; ++round)
    for (std::uint32_t to = 0; to < switches_; ++to) balance_toward(to);
}

void Layering::balance_toward(std::uint32_t to) {
  const std::uint16_t* hops = &distances_.hops[at(0, to)];
  const Path* path = &path_[at(0, to)];
  // Of the tree of paths: switches that send over each switch, and their flows.
  behind_.resize(switches_);
  for (auto& behind : behind_) behind.clear();
  near_first_.clear();
  for (std::uint32_t s = 0; s < switches_; ++s)
    if (s != to && path[s].trunk != LayeredPairs::kNoTrunk) {
      near_first_.push_back(s);
      behind_[trunks_.to(path[s].trunk)].push_back(s);
    }
  std::ranges::sort(near_first_, {}, [&](std::uint32_t s) { return std::pair(hops[s], s); });
  flows_.assign(switches_, 0);
  for (std::size_t i = near_first_.size(); i-- > 0;) {
    const std::uint32_t s = near_first_[i];
    flows_[s] += std::uint64_t{std::max(1u, hosts_[s])} * std::max(1u, hosts_[to]);
    flows_[trunks_.to(path[s].trunk)] += flows_[s];
  }
  for (const std::uint32_t s : near_first_) {
    if (hops[s] < 2) continue;
    const std::uint64_t flows = flows_[s];
    const Path old = path[s];
    for (std::uint32_t at = s; at != to; at = trunks_.to(path[at].trunk)) {
      load_[path[at].trunk] -= flows * time_[path[at].trunk];
      if (at != s) flows_[at] -= flows;
    }
    find_candidates(s, to, there_);
    const auto cost = [&](const Candidate& candidate) {
      std::uint64_t time = time_[candidate.path.trunk];
      for (std::uint32_t at = trunks_.to(candidate.path.trunk); at != to;
           at = trunks_.to(path[at].trunk))
        time += time_[path[at].trunk];
      return candidate.cost + flows * time;
    };
    for (Candidate& candidate : there_) candidate.cost = cost(candidate);
    std::ranges::sort(there_, {}, [](const Candidate& candidate) {
      return std::pair(candidate.cost, candidate.path.trunk);
    });
    for (const Candidate& candidate : there_) {
      if (candidate.path.trunk == old.trunk) break;
      if (!keeps_orders(s, to, candidate.path)) continue;
      std::erase(behind_[trunks_.to(old.trunk)], s);
      behind_[trunks_.to(candidate.path.trunk)].push_back(s);
      move(s, to, candidate.path);
      break;
    }
    for (std::uint32_t at = s; at != to; at = trunks_.to(path[at].trunk)) {
      load_[path[at].trunk] += flows * time_[path[at].trunk];
      if (at != s) flows_[at] += flows;
    }
  }
}

/// Do all pairs with paths that continue like this agree with some order, and did they before?
bool Layering::keeps_orders(std::uint32_t from, std::uint32_t to, const Path& path) const {
  if (!silent({from, to})) {
    const Mask back = path_[at(to, from)].agree;
    if ((path_[at(from, to)].agree & back) == 0 || (path.agree & back) == 0) return false;
  }
  return std::ranges::all_of(behind_[from], [&](std::uint32_t s) {
    Path longer = path_[at(s, to)];
    longer.agree = path.agree & orders_.agree(longer.trunk, path.trunk);
    return keeps_orders(s, to, longer);
  });
}

void Layering::move(std::uint32_t from, std::uint32_t to, const Path& path) {
  path_[at(from, to)] = path;
  for (const std::uint32_t s : behind_[from]) {
    Path longer = lone(path_[at(s, to)].trunk);
    longer.trail += path.trail;
    longer.agree = path.agree & orders_.agree(longer.trunk, path.trunk);
    move(s, to, longer);
  }
}

/// Trunks by their positions in a sequence in which all turns of a free layer ascend, as near as
/// possible to that of its order of switches.
std::vector<std::uint32_t> Layering::extend(unsigned layer) const {
  const AcyclicTurns& free = free_[layer - first_free_];
  const auto row = orders_.row_of(layer, trunks_);
  const auto key = [&](std::uint32_t trunk) { return std::uint64_t{row[trunk]} << 32 | trunk; };
  const auto each_turn = [&](std::uint32_t in, const auto& body) {
    const std::uint32_t over = trunks_.to(in);
    for (std::uint32_t out = trunks_.first(over); out < trunks_.first(over + 1); ++out)
      if (free.has(lead(in), lead(out))) body(out);
  };
  std::vector<std::uint32_t> waiting(trunks_.count(), 0);
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    each_turn(t, [&](std::uint32_t out) { ++waiting[out]; });
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> ready;
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    if (waiting[t] == 0) ready.push(key(t));
  std::vector<std::uint32_t> place(trunks_.count(), 0);
  for (std::uint32_t next = 0; !ready.empty(); ++next) {
    const auto trunk = static_cast<std::uint32_t>(ready.top());
    ready.pop();
    place[trunk] = next;
    each_turn(trunk, [&](std::uint32_t out) {
      if (--waiting[out] == 0) ready.push(key(out));
    });
  }
  return place;
}

bool Layering::ascends(std::uint32_t from, std::uint32_t to,
                       std::span<const std::uint32_t> place) const {
  const Path* path = &path_[at(0, to)];
  std::uint32_t trunk = path[from].trunk;
  for (std::uint32_t s = trunks_.to(trunk); s != to; s = trunks_.to(trunk)) {
    const std::uint32_t out = path[s].trunk;
    if (place[out] < place[trunk]) return false;
    trunk = out;
  }
  return true;
}

/// By pair of switches: the possible layers. Pairs that agree with the last may use it.
std::vector<Mask> Layering::choices(unsigned threads) const {
  std::vector<Mask> found(path_.size(), 0);
  std::vector<std::vector<std::uint32_t>> places;
  for (unsigned layer = first_free_; layer < layers_; ++layer) places.push_back(extend(layer));
  threads = threads_worth(std::uint64_t{switches_} * switches_, threads);
  parallel_for(switches_, threads, [&](std::size_t row) {
    const auto b = static_cast<std::uint32_t>(row);
    for (std::uint32_t a = 0; a < b; ++a) {
      const Path& there = path_[at(a, b)];
      const Path& back = path_[at(b, a)];
      if (there.trunk == LayeredPairs::kNoTrunk || silent({a, b})) continue;
      unsigned layers = there.agree & back.agree;
      for (unsigned i = 0; i < places.size(); ++i)
        if (ascends(a, b, places[i]) && ascends(b, a, places[i])) layers |= 1u << (first_free_ + i);
      found[at(a, b)] = static_cast<Mask>(layers);
    }
  });
  return found;
}

LayeredPairs Layering::take(unsigned threads) {
  LayeredPairs pairs;
  pairs.count = layers_;
  pairs.layers = distribute_layers(switches_, pairs.count, choices(threads));
  pairs.next.reserve(path_.size());
  for (const Path& path : path_) pairs.next.push_back(path.trunk);
  return pairs;
}

}  // namespace

std::optional<LayeredPairs> layer_pairs(const Fabric& fabric, const Turns& turns,
                                        const Trunks& trunks, std::span<const Destination> order,
                                        LayerOrders kind, unsigned layers_least,
                                        unsigned layers_max, unsigned threads) {
  const unsigned most = std::min(layers_max, SwitchOrders::kMost);
  const bool around_roots = kind == LayerOrders::kAroundRoots;
  const SwitchOrders orders = around_roots ? SwitchOrders::around_roots(fabric, trunks, most)
                                           : SwitchOrders(fabric, trunks, most);
  const auto share = unfitted(fabric, trunks, orders, Pairs::kOfSwitches);
  std::optional<Distances> distances;
  for (unsigned layers = std::max(2u, layers_least); layers <= orders.count(); ++layers) {
    const unsigned free = layers < kForTwoFree ? 1 : 2;
    if (!distances) distances = measure(fabric, trunks, order, threads);
    if (share[layers - free] * distances->turns() > kTurnsFree * trunks.count()) continue;
    Layering layering(fabric, turns, trunks, *distances, orders, layers, free, around_roots);
    if (!layering.run()) continue;
    if (around_roots) layering.balance();
    return layering.take(threads);
  }
  return std::nullopt;
}

}  // namespace weft
