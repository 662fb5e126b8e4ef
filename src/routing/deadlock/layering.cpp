// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/layering.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "routing/balance/channel_weights.h"

namespace weft::layering {

namespace {

constexpr std::uint64_t kSearches = 64;  // limit of each free layer, in visits of each channel
constexpr std::size_t kTries = 64;       // pairs of paths tried on the free layers

/// Returns a value that is greater for masks with lower orders. If all pairs prefer the same
/// orders, the remainders of their paths agree with these orders, too.
unsigned preference(Mask agree) {
  unsigned value = 0;
  for (unsigned order = 0; order < SwitchOrders::kMost; ++order)
    value = value << 1 | (agree >> order & 1u);
  return value;
}

}  // namespace

Layering::Layering(const Fabric& fabric, const Turns& turns, const Trunks& trunks,
                   const Distances& distances, const SwitchOrders& orders, unsigned layers,
                   unsigned free, bool prefers_first_orders)
    : trunks_(trunks),
      distances_(distances),
      orders_(orders),
      switches_(fabric.switch_count()),
      layers_(layers),
      first_free_(layers - free),
      prefers_first_orders_(prefers_first_orders),
      path_(std::size_t{switches_} * switches_),
      free_(free, AcyclicTurns(turns, kSearches * fabric.channel_count())) {
  // Each cable of a trunk carries a share of the flows.
  const auto weights = channel_weights(fabric);
  constexpr std::uint64_t kWhole = 840;  // divisible by each number of cables from 2 to 8
  uses_.reserve(trunks.count());
  for (std::uint32_t t = 0; t < trunks.count(); ++t) {
    const std::uint64_t cable = std::min(t, trunks.reverse[t]) + std::uint64_t{1};
    uses_.push_back(
        {.time =
             std::max<std::uint64_t>(1, weights[lead(t)] * kWhole / trunks.channels_of(t).size()),
         .head = trunks.head[t],
         .cables_hash = static_cast<std::uint32_t>(cable * cable * 0x9E3779B97F4A7C15u >> 32),
         .up = orders.up(t)});
  }
  for (std::uint32_t s = 0; s < switches_; ++s)
    hosts_.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
}

bool Layering::run() {
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    path_[at(trunks_.tail[t], trunks_.head[t])] = single_trunk(t);
  for (std::size_t hops = 2; hops < distances_.pairs.size(); ++hops) {
    const std::vector<Pair>& pairs = distances_.pairs[hops];
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      constexpr std::size_t kAhead = 2;
      if (i + kAhead < pairs.size()) prefetch(pairs[i + kAhead].a, pairs[i + kAhead].b);
      if (!choose(pairs[i])) return false;
    }
  }
  return true;
}

/// Prefetches the data that find_candidates() reads of the row of `to`. Pairs of one switch are
/// consecutive, so the row of that switch is in the cache; there is no space for the rows of the
/// other switches.
void Layering::prefetch(std::uint32_t from, std::uint32_t to) const {
  for (std::uint32_t t = trunks_.begin[from]; t < trunks_.begin[from + 1]; ++t) {
    __builtin_prefetch(&distances_.hops[at(trunks_.head[t], to)]);
    __builtin_prefetch(&path_[at(trunks_.head[t], to)]);
  }
}

/// Finds the shortest paths. The cost of a candidate is the sum of the loads of its trunks, with
/// `flows` added.
void Layering::find_candidates(std::uint32_t from, std::uint32_t to, std::uint64_t flows,
                               std::vector<Candidate>& candidates) const {
  candidates.clear();
  // Accesses without bounds checks: most of the time is spent here.
  const std::uint16_t* const hops = &distances_.hops[at(0, to)];
  const Path* const path = &path_[at(0, to)];
  const TrunkUse* const uses = uses_.data();
  const std::uint32_t end = trunks_.begin[from + 1];
  for (std::uint32_t t = trunks_.begin[from]; t < end; ++t) {
    const TrunkUse& first = uses[t];
    const std::uint32_t over = first.head;
    if (hops[over] >= hops[from]) continue;
    const Path& rest = path[over];
    Candidate candidate{single_trunk(t), first.load + flows * first.time};
    candidate.path.cables_hash += rest.cables_hash;
    candidate.path.agree = rest.agree & agree(t, rest.trunk);
    for (std::uint32_t s = over; s != to;) {
      const TrunkUse& use = uses[path[s].trunk];
      candidate.cost += use.load + flows * use.time;
      s = use.head;
    }
    candidates.push_back(candidate);
  }
}

bool Layering::choose(Pair pair) {
  find_candidates(pair.a, pair.b, 0, there_);
  find_candidates(pair.b, pair.a, 0, back_);
  if (choose_in_order(pair)) return true;
  if (!has_no_hosts(pair)) return choose_on_free_layer(pair);
  choose_freely(pair);
  return true;
}

/// Selects the paths of both directions with the least cost that agree with a common order. Paths
/// that are the reverse of each other are preferred. Returns false if there are no such paths.
bool Layering::choose_in_order(Pair pair) {
  const Candidate* there = nullptr;
  const Candidate* back = nullptr;
  unsigned most = 0;
  for (const bool backward : {true, false}) {
    for (const Candidate& one : there_)
      for (const Candidate& other : back_) {
        if (backward && one.path.cables_hash != other.path.cables_hash) continue;
        const auto agree = static_cast<Mask>(one.path.agree & other.path.agree);
        if (agree == 0) continue;
        const unsigned many = prefers_first_orders_ ? preference(agree) : 0;
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

bool Layering::choose_on_free_layer(Pair pair) {
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

/// Selects the paths between two switches without hosts. Such switches do not send packets to each
/// other, so the paths are only parts of longer paths.
void Layering::choose_freely(Pair pair) {
  const auto best = [&](const std::vector<Candidate>& candidates) {
    return std::ranges::min_element(candidates, {},
                                    [&](const Candidate& candidate) {
                                      return std::pair(
                                          prefers_first_orders_
                                              ? -static_cast<int>(preference(candidate.path.agree))
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
  // Paths between switches without hosts have flows, too, because they are parts of other paths.
  const std::uint64_t flows =
      std::uint64_t{std::max(1u, hosts_[pair.a])} * std::max(1u, hosts_[pair.b]);
  add_flows(pair.a, pair.b, flows);
  add_flows(pair.b, pair.a, flows);
}

/// Sets `channels` to the first channel of each trunk of the path that begins with `trunk`.
void Layering::trace(std::uint32_t trunk, std::uint32_t to,
                     std::vector<std::uint32_t>& channels) const {
  channels.assign(1, lead(trunk));
  for (std::uint32_t s = trunks_.head[trunk]; s != to; s = trunks_.head[trunk]) {
    trunk = path_[at(s, to)].trunk;
    channels.push_back(lead(trunk));
  }
}

void Layering::add_flows(std::uint32_t from, std::uint32_t to, std::uint64_t flows) {
  for (std::uint32_t s = from; s != to;) {
    TrunkUse& use = uses_[path_[at(s, to)].trunk];
    use.load += flows * use.time;
    s = use.head;
  }
}

}  // namespace weft::layering
