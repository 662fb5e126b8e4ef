// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/lid_paths.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "fabric/link_rates.h"

namespace weft {
namespace {

constexpr std::size_t kHostsPerTask = 64;
constexpr std::size_t kFailuresMost = std::tuple_size_v<decltype(LidPathQuality::kept)>;
constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

struct LidTally {
  std::uint64_t pairs = 0;
  std::uint64_t disjoint = 0;                       // number of disjoint paths, sum over pairs
  std::array<std::uint64_t, kFailuresMost> kept{};  // pairs connected after i + 1 failures
  std::uint32_t least = kMost;
};

unsigned lids_of(const Endport& host) { return 1u << host.lmc; }

/// Size of the largest set of paths of `left` (a bit for each path) without conflicts: the lowest
/// path is in the set, or one of the paths in conflict with it is. `conflicts`: by path.
unsigned largest_set(std::uint32_t left, std::span<const std::uint32_t> conflicts) {
  if (left == 0) return 0;
  const auto first = static_cast<std::size_t>(std::countr_zero(left));
  const std::uint32_t rest = left & (left - 1);
  const unsigned with = 1 + largest_set(rest & ~conflicts[first], conflicts);
  // Without conflicts, or with one only, no larger set excludes the path.
  if (std::popcount(rest & conflicts[first]) <= 1) return with;
  if (static_cast<unsigned>(std::popcount(rest)) <= with) return with;
  return std::max(with, largest_set(rest, conflicts));
}

/// Traces the paths from all switches with hosts to one host after the other.
class LidPathTracer {
 public:
  /// `senders`: hosts by switch. A path to a host with n LIDs counts lids / n. All arguments must
  /// outlive this object.
  LidPathTracer(const Fabric& fabric, const Lfts& lfts, std::span<const std::uint32_t> senders,
                unsigned lids)
      : fabric_(fabric),
        lfts_(lfts),
        senders_(senders),
        lids_(lids),
        load_(fabric.channel_count(), 0),
        taken_(fabric.channel_count(), 0) {}

  void follow(const Endport& to, LidTally& tally) {
    for (std::uint32_t s = 0; s < senders_.size(); ++s)
      if (senders_[s] > 0 && SwitchId(s) != to.sw) follow(s, to, tally);
  }

  /// By channel: paths, each as lids / n.
  std::span<const std::uint64_t> load() const { return load_; }

 private:
  void follow(std::uint32_t from, const Endport& to, LidTally& tally) {
    const std::uint64_t weight = std::uint64_t{senders_[from]} * (lids_ / lids_of(to));
    paths_.clear();
    for (unsigned offset = 0; offset < lids_of(to); ++offset) {
      if (!walk(SwitchId(from), to, Lid(static_cast<std::uint16_t>(to.lid.value() + offset))))
        continue;
      if (std::ranges::find(paths_, path_) == paths_.end()) paths_.push_back(path_);
      for (const std::uint32_t channel : path_) load_[channel] += weight;
    }
    const std::uint32_t disjoint = disjoint_paths();
    tally.pairs += senders_[from];
    tally.disjoint += std::uint64_t{senders_[from]} * disjoint;
    for (std::size_t k = 1; k <= kFailuresMost && (disjoint > k || !can_cut(k, 0)); ++k)
      tally.kept[k - 1] += senders_[from];
    tally.least = std::min(tally.least, disjoint);
  }

  /// Number of paths of paths_ without a common channel: the most, or for more than kExactPathsMost
  /// paths those that are selected in order.
  std::uint32_t disjoint_paths() {
    std::uint32_t in_order = 0;
    ++pair_;
    for (const auto& path : paths_) {
      if (std::ranges::any_of(path, [&](std::uint32_t c) { return taken_[c] == pair_; })) continue;
      ++in_order;
      for (const std::uint32_t channel : path) taken_[channel] = pair_;
    }
    if (in_order == paths_.size() || paths_.size() > kExactPathsMost) return in_order;
    std::array<std::uint32_t, kExactPathsMost> conflicts{};
    for (std::size_t i = 0; i < paths_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::ranges::find_first_of(paths_[i], paths_[j]) != paths_[i].end()) {
          conflicts[i] |= 1u << j;
          conflicts[j] |= 1u << i;
        }
    return largest_set((1u << paths_.size()) - 1, conflicts);
  }

  /// Whether the failure of `failures` further channels can cut all paths of paths_, from index
  /// `first` on, that are not cut yet. One of these channels must be on the first such path.
  bool can_cut(std::size_t failures, std::size_t first) {
    const auto is_cut = [&](const std::vector<std::uint32_t>& path) {
      return std::ranges::find_first_of(path, failed_) != path.end();
    };
    while (first < paths_.size() && is_cut(paths_[first])) ++first;
    if (first == paths_.size()) return true;
    if (failures == 0) return false;
    for (const std::uint32_t channel : paths_[first]) {
      failed_.push_back(channel);
      const bool cut = can_cut(failures - 1, first + 1);
      failed_.pop_back();
      if (cut) return true;
    }
    return false;
  }

  /// Stores the channels of the path in path_; false if the tables do not deliver to `to`.
  bool walk(SwitchId at, const Endport& to, Lid lid) {
    path_.clear();
    while (at != to.sw) {
      const ChannelId channel = fabric_.channel_at(at, lfts_.port(at, lid));
      if (channel == kNoChannel || path_.size() > fabric_.switch_count()) return false;
      path_.push_back(channel.value());
      at = fabric_.channel(channel).to;
    }
    return lfts_.port(at, lid) == to.sw_port;
  }

  const Fabric& fabric_;
  const Lfts& lfts_;
  const std::span<const std::uint32_t> senders_;
  const unsigned lids_;
  std::vector<std::uint64_t> load_;
  std::vector<std::uint64_t> taken_;  // by channel: the last pair with a disjoint path over it
  std::vector<std::vector<std::uint32_t>> paths_;  // distinct paths of the current pair
  std::vector<std::uint32_t> path_;
  std::vector<std::uint32_t> failed_;
  std::uint64_t pair_ = 0;
};

}  // namespace

std::optional<LidPathQuality> assess_lid_paths(const Fabric& fabric, const Lfts& lfts,
                                               std::span<const EndportId> hosts, unsigned threads) {
  std::vector<std::uint32_t> senders(fabric.switch_count(), 0);
  std::uint64_t switches = 0, all_lids = 0;
  LidPathQuality quality;
  for (const EndportId id : hosts) {
    const Endport& host = fabric.endport(id);
    if (senders[host.sw.value()]++ == 0) ++switches;
    all_lids += lids_of(host);
    quality.lids = std::max(quality.lids, lids_of(host));
  }
  if (quality.lids == 1 || switches < 2 || switches * all_lids > kLidPathsMost) return {};
  std::vector<std::atomic<std::uint64_t>> load(fabric.channel_count());
  std::vector<LidTally> tallies((hosts.size() + kHostsPerTask - 1) / kHostsPerTask);
  parallel_blocks(hosts.size(), kHostsPerTask, threads, [&](std::size_t begin, std::size_t end) {
    LidPathTracer follower(fabric, lfts, senders, quality.lids);
    for (std::size_t i = begin; i < end; ++i)
      follower.follow(fabric.endport(hosts[i]), tallies[begin / kHostsPerTask]);
    for (std::size_t c = 0; c < load.size(); ++c)
      load[c].fetch_add(follower.load()[c], std::memory_order_relaxed);
  });
  LidTally sum;
  for (const LidTally& tally : tallies) {
    sum.pairs += tally.pairs;
    sum.disjoint += tally.disjoint;
    for (std::size_t k = 0; k < kFailuresMost; ++k) sum.kept[k] += tally.kept[k];
    sum.least = std::min(sum.least, tally.least);
  }
  const auto pairs = static_cast<double>(sum.pairs);
  quality.disjoint_mean = static_cast<double>(sum.disjoint) / pairs;
  quality.disjoint_min = sum.least;
  for (std::size_t k = 0; k < kFailuresMost; ++k)
    quality.kept[k] = static_cast<double>(sum.kept[k]) / pairs;
  const auto rates = channel_rates(fabric);
  const double fastest = rates.empty() ? 1 : std::ranges::max(rates);
  for (std::size_t c = 0; c < load.size(); ++c) {
    const double pairs_here = static_cast<double>(load[c].load()) / quality.lids;
    quality.link_load_max = std::max(quality.link_load_max, pairs_here);
    quality.timed_load_max = std::max(quality.timed_load_max, pairs_here * fastest / rates[c]);
  }
  return quality;
}

}  // namespace weft
