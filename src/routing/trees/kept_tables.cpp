// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/kept_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "fabric/changes.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

/// Limits of the number of entries over lost cables. Above these limits a full computation by the
/// engine is as fast.
constexpr std::size_t kEntriesPerLost = 64;
constexpr std::size_t kEntriesAlways = 4096;

struct LostEntry {
  Lid lid;
  SwitchId sw;
};

/// The ports of a switch that lost their cable to another switch; std::nullopt if any other port
/// differs.
std::optional<std::vector<PortNum>> lost_ports(const Fabric& before, const Fabric& fabric,
                                               SwitchId sw) {
  std::vector<PortNum> lost;
  const auto channels_before = before.channels_from(sw);
  const auto channels = fabric.channels_from(sw);
  std::size_t i = 0;
  for (const Channel& channel : channels_before) {
    if (i < channels.size() && channels[i].from_port == channel.from_port) {
      if (channels[i].to != channel.to || channels[i].to_port != channel.to_port)
        return std::nullopt;
      ++i;
    } else {
      lost.push_back(channel.from_port);
    }
  }
  if (i < channels.size()) return std::nullopt;
  return lost;
}

/// The entries over lost cables, by LID; std::nullopt if there are too many, or if the fabrics
/// differ in more than lost cables.
std::optional<std::vector<LostEntry>> lost_entries(const Fabric& before, const Lfts& previous,
                                                   const Fabric& fabric) {
  const std::size_t most = std::max(kEntriesAlways, std::size_t{fabric.switch_count()} *
                                                        fabric.lid_top().value() / kEntriesPerLost);
  std::vector<LostEntry> entries;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    const auto lost = lost_ports(before, fabric, sw);
    if (!lost) return std::nullopt;
    if (lost->empty()) continue;
    const auto row = previous.row(sw);
    for (std::size_t value = 1; value <= fabric.lid_top().value(); ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      if (std::ranges::find(*lost, PortNum(row[value])) == lost->end()) continue;
      const EndportId owner = fabric.endport_of(lid);
      if (owner != kNoEndport && fabric.endport(owner).sw != kNoSwitch)
        entries.push_back({lid, sw});
    }
    if (entries.size() > most) return std::nullopt;
  }
  std::ranges::stable_sort(entries, {}, &LostEntry::lid);
  return entries;
}

/// By switch: the switches to which an up*/down* path from this switch exists.
class Reach {
 public:
  Reach(const Fabric& fabric, std::span<const std::uint16_t> ranks)
      : switch_count_(fabric.switch_count()),
        words_((switch_count_ + kWord - 1) / kWord),
        reached_(fabric.switch_count() * words_, 0) {
    std::vector<std::uint32_t> top_down(fabric.switch_count());
    std::iota(top_down.begin(), top_down.end(), 0u);
    std::ranges::stable_sort(top_down, {}, [&](std::uint32_t s) { return ranks[s]; });
    const auto gather = [&](std::uint32_t s, bool upward) {
      for (const Channel& channel : fabric.channels_from(SwitchId(s)))
        if (goes_up(channel, ranks) == upward) add(channel.to.value(), s);
    };
    for (std::size_t i = top_down.size(); i-- > 0;) {
      const std::uint32_t s = top_down[i];
      reached_[s * words_ + s / kWord] |= std::uint64_t{1} << s % kWord;
      gather(s, false);
    }
    for (const std::uint32_t s : top_down) gather(s, true);
  }
  bool operator()(SwitchId from, SwitchId to) const {
    return (reached_[from.value() * words_ + to.value() / kWord] >> to.value() % kWord & 1) != 0;
  }
  /// Calls body(to) for each switch to which `from` has no path.
  template <class Body>
  void for_each_missing(SwitchId from, const Body& body) const {
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t missing = ~reached_[from.value() * words_ + w];
      for (; missing != 0; missing &= missing - 1) {
        const std::size_t to = w * kWord + static_cast<std::size_t>(std::countr_zero(missing));
        if (to < switch_count_) body(SwitchId(static_cast<std::uint32_t>(to)));
      }
    }
  }

 private:
  /// Adds all switches that `from` reaches to the switches that `to` reaches. The loop uses no
  /// members, so that the compiler can use vector instructions.
  void add(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t* const source = reached_.data() + from * words_;
    std::uint64_t* const target = reached_.data() + to * words_;
    for (std::size_t w = 0, words = words_; w < words; ++w) target[w] |= source[w];
  }

  static constexpr std::uint32_t kWord = 64;
  const std::size_t switch_count_;
  const std::size_t words_;
  std::vector<std::uint64_t> reached_;
};

/// Removes entries without an up*/down* path: connect_remaining_switches() (tables/) then fills all
/// of these entries together.
void remove_other_paths(const Fabric& fabric, const Reach& reach, Lfts& lfts) {
  std::vector<std::vector<Lid>> lids(fabric.switch_count());
  for (const Endport& endport : fabric.endports())
    if (endport.addressed()) lids[endport.sw.value()].push_back(endport.lid);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    reach.for_each_missing(SwitchId(s), [&](SwitchId to) {
      for (const Lid lid : lids[to.value()]) lfts.set(SwitchId(s), lid, kNoRoute);
    });
}

/// Selects the entries of one LID after the other.
class Selection {
 public:
  Selection(const Fabric& fabric, std::span<const std::uint16_t> ranks, ftree::Paths paths,
            Lfts& lfts)
      : fabric_(fabric),
        ranks_(ranks),
        only_up_down_(paths == ftree::Paths::kUpDown),
        lfts_(lfts),
        path_(fabric.switch_count()),
        hosts_by_port_(fabric.switch_count()),
        is_host_(std::size_t{fabric.lid_top().value()} + 1, false) {
    for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
      if (const Endport& host = fabric.endport(EndportId(e)); host.addressed()) {
        is_host_[host.lid.value()] = true;
        host_lids_.push_back(host.lid.value());
      }
    std::ranges::sort(host_lids_);
  }

  /// Selects the entries of one LID. `entries` are its entries over lost cables. Returns all
  /// switches with paths over these cables.
  std::span<const SwitchId> select(std::span<const LostEntry> entries) {
    lid_ = entries.front().lid;
    destination_ = fabric_.endport(fabric_.endport_of(lid_)).sw;
    ++round_;
    find_cut_off(entries);
    if (only_up_down_) extend(Direction::kDown);
    extend(only_up_down_ ? Direction::kUp : Direction::kAny);
    std::ranges::stable_sort(cut_off_, {}, [&](SwitchId sw) { return path_[sw.value()].hops; });
    for (const SwitchId sw : cut_off_) choose(sw);
    return cut_off_;
  }

 private:
  enum class Direction : std::uint8_t { kAny, kUp, kDown };
  static constexpr std::uint32_t kNoPath = 0xFFFFFFFF;
  /// The path from a switch to the LID.
  struct Path {
    std::uint32_t round = 0;  // the path is valid in this round only
    std::uint32_t hops = 0;   // kNoPath: no path
    bool is_cut_off = false;  // the previous path used a lost cable
    bool descends = false;    // all hops are down
    bool is_up_down = false;  // no hop up after one down
  };

  bool goes_up(const Channel& channel) const { return weft::goes_up(channel, ranks_); }
  bool is_known(SwitchId sw) const { return path_[sw.value()].round == round_; }

  /// Stores all switches with paths through one of the entries in cut_off_.
  void find_cut_off(std::span<const LostEntry> entries) {
    cut_off_.clear();
    const auto add = [&](SwitchId sw) {
      if (is_known(sw)) return;
      path_[sw.value()] = {round_, kNoPath, true, false, false};
      cut_off_.push_back(sw);
    };
    for (const LostEntry& entry : entries) add(entry.sw);
    for (std::size_t head = 0; head < cut_off_.size(); ++head)
      for (const Channel& channel : fabric_.channels_from(cut_off_[head]))
        if (lfts_.port(channel.to, lid_) == channel.to_port) add(channel.to);
    std::ranges::sort(cut_off_);
  }

  /// The path over a channel, then along `next`.
  Path extended(const Channel& channel, const Path& next) const {
    if (next.hops == kNoPath) return {round_, kNoPath, false, false, false};
    const bool up = goes_up(channel);
    const Path path{round_, next.hops + 1, false, next.descends && !up,
                    up ? next.is_up_down : next.descends};
    if (only_up_down_ && !path.is_up_down) return {round_, kNoPath, false, false, false};
    return path;
  }

  /// The path of a switch. The path of a switch that is not cut off follows the entries.
  const Path& path_of(SwitchId sw) {
    walk_.clear();
    while (!is_known(sw)) {
      if (sw == destination_) {
        path_[sw.value()] = {round_, 0, false, true, true};
        break;
      }
      path_[sw.value()] = {round_, kNoPath, false, false, false};  // provisional entry
      walk_.push_back(sw);
      const ChannelId out = fabric_.channel_at(sw, lfts_.port(sw, lid_));
      if (out == kNoChannel) break;
      sw = fabric_.channel(out).to;
    }
    Path next = path_[sw.value()];
    if (!walk_.empty() && walk_.back() == sw) walk_.pop_back();  // this switch has no next hop
    for (std::size_t i = walk_.size(); i-- > 0;) {
      const ChannelId out = fabric_.channel_at(walk_[i], lfts_.port(walk_[i], lid_));
      path_[walk_[i].value()] = next = extended(fabric_.channel(out), next);
    }
    return path_[(walk_.empty() ? sw : walk_.front()).value()];
  }

  /// Whether a path of a cut-off switch may begin with the channel, and continue as the path of the
  /// switch at the other end of the channel.
  bool may_take(const Channel& channel, Direction direction) {
    if (direction == Direction::kAny) return true;
    const bool up = goes_up(channel);
    return up ? direction == Direction::kUp
              : direction == Direction::kDown && path_[channel.to.value()].descends;
  }

  /// Computes paths for switches that are cut off, nearest to the destination first.
  void extend(Direction direction) {
    for (auto& level : levels_) level.clear();
    const auto add_to_level = [&](SwitchId sw, std::uint32_t hops) {
      if (levels_.size() <= hops) levels_.resize(std::size_t{hops} + 1);
      levels_[hops].push_back(sw);
    };
    for (const SwitchId sw : cut_off_) {
      if (path_[sw.value()].hops != kNoPath) continue;
      std::uint32_t least = kNoPath;
      for (const Channel& channel : fabric_.channels_from(sw)) {
        const bool is_open = is_known(channel.to) && path_[channel.to.value()].is_cut_off &&
                             path_[channel.to.value()].hops == kNoPath;
        const std::uint32_t hops = is_open ? kNoPath : path_of(channel.to).hops;
        if (hops != kNoPath && may_take(channel, direction)) least = std::min(least, hops + 1);
      }
      if (least != kNoPath) add_to_level(sw, least);
    }
    for (std::uint32_t hops = 0; hops < levels_.size(); ++hops)
      for (std::size_t i = 0; i < levels_[hops].size(); ++i) {
        const SwitchId sw = levels_[hops][i];
        Path& path = path_[sw.value()];
        if (path.hops != kNoPath) continue;
        path.hops = hops;
        path.descends = direction == Direction::kDown;
        path.is_up_down = only_up_down_;
        for (const Channel& channel : fabric_.channels_from(sw)) {
          const Path& sender = path_[channel.to.value()];
          const Channel& back = fabric_.channel(channel.reverse);
          if (is_known(channel.to) && sender.is_cut_off && sender.hops == kNoPath &&
              may_take(back, direction))
            add_to_level(channel.to, hops + 1);
        }
      }
  }

  /// Number of host LIDs by output port of a switch.
  std::vector<std::uint32_t>& hosts_by_port(SwitchId sw) {
    auto& counts = hosts_by_port_[sw.value()];
    if (!counts.empty()) return counts;
    // Consecutive LIDs often have one port. LIDs are counted in several arrays alternately, so that
    // an addition need not wait for the previous addition.
    constexpr std::size_t kArrays = 4;
    std::array<std::array<std::uint32_t, 256>, kArrays> parts{};
    const std::uint8_t* const row = lfts_.row(sw).data();
    const std::uint16_t* const lids = host_lids_.data();
    for (std::size_t i = 0, count = host_lids_.size(); i < count; ++i)
      ++parts[i % kArrays][row[lids[i]]];
    counts.resize(256);
    for (std::size_t port = 0; port < counts.size(); ++port)
      for (const auto& part : parts) counts[port] += part[port];
    return counts;
  }

  /// Selects the entry of a switch. Switches nearer to the destination must have been processed.
  void choose(SwitchId sw) {
    Path& path = path_[sw.value()];
    const PortNum active = lfts_.port(sw, lid_);
    if (path.hops == kNoPath) return lfts_.set(sw, lid_, kNoRoute);
    const Channel* best = nullptr;
    bool best_is_up_down = false;
    auto& hosts = hosts_by_port(sw);
    for (const Channel& channel : fabric_.channels_from(sw)) {
      const Path found = extended(channel, path_of(channel.to));
      if (found.hops != path.hops || (only_up_down_ && found.descends != path.descends)) continue;
      const auto rank = [&](const Channel& one, bool is_up_down) {
        return std::tuple(one.from_port != active, !is_up_down,
                          is_up_down ? hosts[one.from_port.value()] : one.to.value());
      };
      if (best != nullptr && rank(*best, best_is_up_down) <= rank(channel, found.is_up_down))
        continue;
      best = &channel;
      best_is_up_down = found.is_up_down;
    }
    CHECK(best != nullptr);
    const Path chosen = extended(*best, path_of(best->to));
    path.descends = chosen.descends;
    path.is_up_down = chosen.is_up_down;
    if (is_host_[lid_.value()]) {
      --hosts[active.value()];
      ++hosts[best->from_port.value()];
    }
    lfts_.set(sw, lid_, best->from_port);
  }

  const Fabric& fabric_;
  const std::span<const std::uint16_t> ranks_;
  const bool only_up_down_;
  Lfts& lfts_;
  Lid lid_{};
  SwitchId destination_{};
  std::uint32_t round_ = 0;
  std::vector<Path> path_;  // by switch
  std::vector<SwitchId> cut_off_, walk_;
  std::vector<std::vector<SwitchId>> levels_;              // by hops
  std::vector<std::vector<std::uint32_t>> hosts_by_port_;  // by switch, computed at the first use
  std::vector<bool> is_host_;                              // by LID
  std::vector<std::uint16_t> host_lids_;
};

}  // namespace

std::optional<Lfts> keep_tables(const Fabric& before, const Lfts& previous, const Fabric& fabric,
                                std::span<const std::uint16_t> ranks, ftree::Paths paths) {
  if (!have_same_endports(before, fabric) || previous.switch_count() != fabric.switch_count() ||
      previous.top() != fabric.lid_top())
    return std::nullopt;
  const auto entries = lost_entries(before, previous, fabric);
  if (!entries) return std::nullopt;
  Lfts lfts = previous;
  std::optional<Reach> reach;
  if (paths == ftree::Paths::kUpDown) reach.emplace(fabric, ranks);
  Selection selection(fabric, ranks, paths, lfts);
  for (std::size_t begin = 0, end = 0; begin < entries->size(); begin = end) {
    while (end < entries->size() && (*entries)[end].lid == (*entries)[begin].lid) ++end;
    const auto cut_off = selection.select(std::span(*entries).subspan(begin, end - begin));
    const SwitchId to = fabric.endport(fabric.endport_of((*entries)[begin].lid)).sw;
    // An up*/down* path may exist, but not by the kept entries of other switches.
    if (reach && std::ranges::any_of(cut_off, [&](SwitchId sw) {
          return lfts.port(sw, (*entries)[begin].lid) == kNoRoute && (*reach)(sw, to);
        }))
      return std::nullopt;
  }
  if (reach) remove_other_paths(fabric, *reach, lfts);
  return lfts;
}

}  // namespace weft
