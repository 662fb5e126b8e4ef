// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/laned_tables.h"

#include <algorithm>

#include "base/parallel.h"
#include "routing/balance/weighted.h"
#include "routing/shapes/ranks.h"
#include "routing/shapes/shortest_dag.h"

namespace weft {
namespace {

// DAGs are made for this many destinations at once. The number only limits the memory.
constexpr std::size_t kBatch = 64;

// Number of switches sampled for regularity.
constexpr std::uint32_t kSamples = 64;
// Search limits, in visits of each channel.
constexpr std::uint64_t kFewSearches = 32;
constexpr std::uint64_t kMoreSearches = 128;  // first attempt on large fabrics
constexpr std::uint32_t kManySwitches = 512;
constexpr std::uint64_t kManySearches = 512;

/// Number of switches at each distance.
std::vector<std::uint32_t> surroundings(const Fabric& fabric, SwitchId from) {
  const SwitchId start[] = {from};
  std::vector<std::uint32_t> count;
  for (const std::uint16_t hops : hops_from(fabric, start)) {
    if (hops == kNoRank) continue;
    if (hops >= count.size()) count.resize(std::size_t{hops} + 1, 0);
    ++count[hops];
  }
  return count;
}

/// Whether most of the sampled switches have the same numbers of switches at each distance.
bool is_regular(const Fabric& fabric) {
  std::vector<std::vector<std::uint32_t>> seen;
  const std::uint32_t step = std::max(1u, fabric.switch_count() / kSamples);
  for (std::uint32_t s = 0; s < fabric.switch_count(); s += step)
    seen.push_back(surroundings(fabric, SwitchId(s)));
  std::ranges::sort(seen);
  std::size_t run = 0, longest = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    run = i > 0 && seen[i] == seen[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return 2 * longest > seen.size();
}

/// The largest number of cables between two switches.
std::size_t trunk_width(const Fabric& fabric) {
  std::size_t widest = 1;
  std::vector<std::uint32_t> peers;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    peers.clear();
    for (const Channel& channel : fabric.channels_from(SwitchId(s)))
      peers.push_back(channel.to.value());
    std::ranges::sort(peers);
    std::size_t run = 0;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      run = i > 0 && peers[i] == peers[i - 1] ? run + 1 : 1;
      widest = std::max(widest, run);
    }
  }
  return widest;
}

class Grower {
 public:
  Grower(const Fabric& fabric, const Turns& turns, const LanedTrees::Rules& rules, Share share)
      : fabric_(fabric),
        share_(share),
        both_directions_(rules.both_directions),
        width_(trunk_width(fabric)),
        trees_(fabric, turns, rules),
        ports_(fabric.switch_count()),
        lanes_(fabric.switch_count()),
        stride_(std::size_t{fabric.lid_top().value()} + 1) {
    tables_.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
    if (rules.lanes > 0 && !rules.both_directions)
      tables_.lanes.assign(fabric.switch_count() * stride_, 0);
  }

  LanedTrees& trees() { return trees_; }
  LanedTables take() {
    if (both_directions_) tables_.pair_lanes = trees_.distribute_pairs();
    tables_.lanes_used = trees_.lanes_used();
    return std::move(tables_);
  }

  /// Adds the trees of a destination. Returns false if LanedTrees::grow() does.
  bool add(const Destination& destination, const HopDag& dag) {
    if (share_ == Share::kAll) return add_group(dag, destination.endports);
    std::vector<EndportId> hosts;
    std::vector<EndportId> group;
    for (const EndportId id : destination.endports) {
      if (!fabric_.is_switch(fabric_.endport(id).node)) {
        hosts.push_back(id);
      } else if (both_directions_) {
        group.push_back(id);  // in the first group: fewer paths need a common lane
      } else if (!add_group(dag, std::span(&id, 1))) {
        return false;
      }
    }
    const std::size_t groups =
        share_ == Share::kNone ? hosts.size() : std::min(hosts.size(), width_);
    if (groups == 0 && !group.empty()) return add_group(dag, group);
    for (std::size_t first = 0; first < groups; ++first) {
      if (first > 0) group.clear();
      for (std::size_t i = first; i < hosts.size(); i += groups) group.push_back(hosts[i]);
      if (!add_group(dag, group)) return false;
    }
    return true;
  }

 private:
  /// Adds the trees of a group of ports: the i-th LIDs of all ports use the i-th tree. Returns
  /// false if LanedTrees::grow() does.
  bool add_group(const HopDag& dag, std::span<const EndportId> ports) {
    unsigned trees = 0;
    unsigned hosts = 0;
    for (const EndportId id : ports) {
      trees = std::max(trees, lid_count(fabric_.endport(id)));
      hosts += fabric_.is_switch(fabric_.endport(id).node) ? 0 : 1;
    }
    trees_.begin_port();
    for (unsigned tree = 0; tree < trees; ++tree) {
      std::ranges::fill(ports_, kNoRoute.value());
      std::ranges::fill(lanes_, std::uint8_t{0});
      if (!trees_.grow(dag, hosts, trees > 1, ports_, lanes_)) return false;
      for (const EndportId id : ports)
        if (tree < lid_count(fabric_.endport(id))) write(fabric_.endport(id), tree);
    }
    return true;
  }

  void write(const Endport& endport, unsigned offset) {
    const Lid lid = lid_at(endport, offset);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      tables_.lfts.set(SwitchId(s), lid, PortNum(ports_[s]));
    tables_.lfts.set(endport.sw, lid, endport.sw_port);
    if (tables_.lanes.empty()) return;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      tables_.lanes[s * stride_ + lid.value()] = lanes_[s];
  }

  const Fabric& fabric_;
  const Share share_;
  const bool both_directions_;
  const std::size_t width_;
  LanedTrees trees_;
  LanedTables tables_;
  std::vector<std::uint8_t> ports_;  // by switch
  std::vector<std::uint8_t> lanes_;  // by switch
  std::size_t stride_;
};

}  // namespace

std::vector<LanedTrees::Rules> lane_plans(const Fabric& fabric, unsigned lanes) {
  using Rules = LanedTrees::Rules;
  const std::uint64_t channels = std::max(1u, fabric.channel_count());
  const std::uint64_t few =
      (fabric.switch_count() > kManySwitches ? kMoreSearches : kFewSearches) * channels;
  const std::uint64_t many = kManySearches * channels;
  std::vector<Rules> plans;
  if (is_regular(fabric))
    plans.push_back({.lanes = lanes, .search_limit = many, .only_regular = true});
  plans.push_back({.lanes = lanes, .new_turn_factor = 2, .search_limit = few});
  plans.push_back({.lanes = lanes, .new_turn_factor = 2, .search_limit = many});
  return plans;
}

std::optional<LanedTables> grow_tables(const Fabric& fabric, const Turns& turns,
                                       const std::vector<std::vector<Destination>>& classes,
                                       const LanedTrees::Rules& rules, Share share,
                                       unsigned threads, std::span<const std::uint8_t> ranks,
                                       std::span<const std::uint64_t> weights) {
  Grower grower(fabric, turns, rules, share);
  const auto heads = channel_heads(fabric);
  std::vector<HopDag> dags(kBatch);
  for (HopDag& dag : dags) dag.keep_order();  // lanes are assigned in the order of switches
  threads = threads_worth(std::uint64_t{kBatch} * fabric.channel_count(), threads);
  for (const std::vector<Destination>& members : classes) {
    grower.trees().begin_class();
    for (std::size_t begin = 0; begin < members.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, members.size() - begin);
      parallel_for(count, threads, [&](std::size_t i) {
        if (weights.empty()) {
          make_shortest_dag(fabric, heads, members[begin + i].sw, dags[i], ranks);
        } else {
          make_weighted_dag(fabric, weights, members[begin + i].sw, dags[i]);
        }
      });
      for (std::size_t i = 0; i < count; ++i)
        if (!grower.add(members[begin + i], dags[i])) return std::nullopt;
    }
  }
  return grower.take();
}

}  // namespace weft
