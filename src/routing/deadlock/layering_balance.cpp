// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Layering: moves selected paths from heavily loaded trunks to other trunks.
#include <algorithm>
#include <utility>

#include "routing/deadlock/layering.h"

namespace weft::layering {

namespace {

constexpr unsigned kRoundsLeast = 2;
constexpr unsigned kRoundsMost = 4;
constexpr std::uint64_t kDecreaseLeast = 16;  // reciprocal of the decrease of a round

}  // namespace

/// Runs kRoundsLeast to kRoundsMost rounds. Ends early if a round decreased the largest load by
/// less than 1 / kDecreaseLeast.
void Layering::balance() {
  if (uses_.empty()) return;
  std::uint64_t before = 0;
  for (unsigned round = 0; round < kRoundsMost; ++round) {
    for (std::uint32_t to = 0; to < switches_; ++to) balance_toward(to);
    const std::uint64_t largest = std::ranges::max(uses_, {}, &TrunkUse::load).load;
    if (round + 1 >= kRoundsLeast && largest > before - before / kDecreaseLeast) return;
    before = largest;
  }
}

void Layering::balance_toward(std::uint32_t to) {
  const std::uint16_t* hops = &distances_.hops[at(0, to)];
  const Path* path = &path_[at(0, to)];
  const std::uint32_t* const head = trunks_.head.data();
  // By switch of the tree, the switches with this switch as next hop, and the flows through it.
  behind_.resize(switches_);
  for (auto& behind : behind_) behind.clear();
  near_first_.clear();
  for (std::uint32_t s = 0; s < switches_; ++s)
    if (s != to && path[s].trunk != LayeredPairs::kNoTrunk) {
      near_first_.push_back(s);
      behind_[head[path[s].trunk]].push_back(s);
    }
  std::ranges::stable_sort(near_first_, {}, [&](std::uint32_t s) { return hops[s]; });
  flows_.assign(switches_, 0);
  for (std::size_t i = near_first_.size(); i-- > 0;) {
    const std::uint32_t s = near_first_[i];
    flows_[s] += std::uint64_t{std::max(1u, hosts_[s])} * std::max(1u, hosts_[to]);
    flows_[head[path[s].trunk]] += flows_[s];
  }
  for (const std::uint32_t s : near_first_) {
    if (hops[s] < 2) continue;
    const std::uint64_t flows = flows_[s];
    const Path old = path[s];
    for (std::uint32_t at = s; at != to; at = head[path[at].trunk]) {
      TrunkUse& use = uses_[path[at].trunk];
      use.load -= flows * use.time;
      if (at != s) flows_[at] -= flows;
    }
    find_candidates(s, to, flows, there_);
    const auto key = [](const Candidate& candidate) {
      return std::pair(candidate.cost, candidate.path.trunk);
    };
    std::pair<std::uint64_t, std::uint32_t> here;
    for (const Candidate& candidate : there_)
      if (candidate.path.trunk == old.trunk) here = key(candidate);
    std::erase_if(there_, [&](const Candidate& candidate) { return key(candidate) >= here; });
    std::ranges::sort(there_, {}, key);
    for (const Candidate& candidate : there_) {
      if (!keeps_orders(s, to, candidate.path)) continue;
      std::erase(behind_[head[old.trunk]], s);
      behind_[head[candidate.path.trunk]].push_back(s);
      move(s, to, candidate.path);
      break;
    }
    for (std::uint32_t at = s; at != to; at = head[path[at].trunk]) {
      TrunkUse& use = uses_[path[at].trunk];
      use.load += flows * use.time;
      if (at != s) flows_[at] += flows;
    }
  }
}

/// Whether every pair with a path that ends with `path` agrees with an order, both with the
/// previous path and with `path`.
bool Layering::keeps_orders(std::uint32_t from, std::uint32_t to, const Path& path) const {
  if (!has_no_hosts({from, to})) {
    const Mask back = path_[at(to, from)].agree;
    if ((path_[at(from, to)].agree & back) == 0 || (path.agree & back) == 0) return false;
  }
  return std::ranges::all_of(behind_[from], [&](std::uint32_t s) {
    Path longer = path_[at(s, to)];
    longer.agree = path.agree & agree(longer.trunk, path.trunk);
    return keeps_orders(s, to, longer);
  });
}

void Layering::move(std::uint32_t from, std::uint32_t to, const Path& path) {
  path_[at(from, to)] = path;
  for (const std::uint32_t s : behind_[from]) {
    Path longer = single_trunk(path_[at(s, to)].trunk);
    longer.cables_hash += path.cables_hash;
    longer.agree = path.agree & agree(longer.trunk, path.trunk);
    move(s, to, longer);
  }
}

}  // namespace weft::layering
