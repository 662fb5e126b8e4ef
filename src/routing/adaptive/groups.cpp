// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/groups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "routes/next_hops.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

constexpr std::uint8_t kUnreachable =
    0xFF;  // hops of switches farther than that, or without a path

/// The path of a LID at a switch by the tables.
struct TablePath {
  std::uint8_t hops = kUnreachable;  // to the switch that holds the LID
  bool descends : 1 = false;         // only down hops from here on, or the destination itself
  bool fixed : 1 = true;             // the entry stays static
  bool operator==(const TablePath&) const = default;
};

/// By switch and LID, row by switch.
class TablePaths {
 public:
  TablePaths(std::uint32_t switches, std::size_t blocks)
      : row_(blocks * kLftBlock), all_(switches * row_), repeats_(row_, 0) {}
  TablePath& at(std::uint32_t sw, std::size_t lid) { return all_[sw * row_ + lid]; }
  std::span<const TablePath> block(std::uint32_t sw, std::size_t block) const {
    return std::span(all_).subspan(sw * row_ + block * kLftBlock, kLftBlock);
  }
  /// 1 where the next hops of all switches to a LID equal those to the previous LID of its block.
  std::uint8_t& repeats(std::size_t lid) { return repeats_[lid]; }
  std::uint8_t repeats(std::size_t lid) const { return repeats_[lid]; }

 private:
  std::size_t row_;
  std::vector<TablePath> all_;
  std::vector<std::uint8_t> repeats_;  // by LID
};

/// Follows the tables for one LID after another. `up` is empty where up and down are not defined.
class PathFinder {
 public:
  PathFinder(const Fabric& fabric, const Lfts& lfts, std::span<const std::uint8_t> up)
      : fabric_(fabric), lfts_(lfts), up_(up), path_(fabric.switch_count()) {}

  void find(Lid lid, const NextHops& next, TablePaths& into) {
    const EndportId owner = fabric_.endport_of(lid);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) return;
    const Endport& target = fabric_.endport(owner);
    if (lfts_.port(target.sw, lid) != target.sw_port) return;
    channel_ = next.channels(lid);
    to_ = next.switches(lid);
    std::ranges::fill(path_, TablePath{kUnreachable, false, false});
    path_[target.sw.value()] = {0, true, true};
    wrong_.clear();
    for (std::uint32_t s = 0; s < path_.size(); ++s) measure(s);
    // Paths that go up after going down stay exactly as in the tables.
    for (std::uint32_t at : wrong_)
      for (; !path_[at].fixed; at = to_[at].value()) path_[at].fixed = true;
    for (std::uint32_t s = 0; s < path_.size(); ++s) into.at(s, lid.value()) = path_[s];
    into.repeats(lid.value()) = lid == next_lid_ && path_ == before_ ? 1 : 0;
    next_lid_ = Lid(static_cast<std::uint16_t>(lid.value() + 1));
    before_ = path_;
  }

 private:
  void measure(std::uint32_t start) {
    walk_.clear();
    std::uint32_t at = start;
    while (path_[at].hops == kUnreachable && to_[at] != kNoSwitch && walk_.size() <= path_.size()) {
      walk_.push_back(at);
      at = to_[at].value();
    }
    for (std::size_t i = walk_.size(); i-- > 0;) {
      if (path_[at].hops >= kUnreachable - 1) return;
      const std::uint32_t from = walk_[i];
      const bool up = !up_.empty() && up_[channel_[from].value()] != 0;
      path_[from].hops = static_cast<std::uint8_t>(path_[at].hops + 1);
      path_[from].descends = !up;
      if (!up_.empty() && !up && !path_[at].descends) wrong_.push_back(from);
      at = from;
    }
  }

  const Fabric& fabric_;
  const Lfts& lfts_;
  std::span<const std::uint8_t> up_;  // by channel
  std::span<const ChannelId> channel_;
  std::span<const SwitchId> to_;
  std::vector<TablePath> path_;
  std::vector<TablePath> before_;  // to the LID before next_lid_
  Lid next_lid_{0};
  std::vector<std::uint32_t> walk_;
  std::vector<std::uint32_t> wrong_;
};

TablePaths find_paths(const Fabric& fabric, const Lfts& lfts, std::span<const std::uint8_t> up,
                      unsigned threads) {
  const std::size_t blocks = fabric.lid_top().value() / kLftBlock + std::size_t{1};
  TablePaths paths(fabric.switch_count(), blocks);
  const PortMap map(fabric);
  parallel_blocks(blocks, 1, threads, [&](std::size_t block, std::size_t) {
    NextHops next(map);
    next.load(lfts, block);
    PathFinder finder(fabric, lfts, up);
    for (std::size_t lid = block * kLftBlock; lid < (block + 1) * kLftBlock; ++lid)
      finder.find(Lid(static_cast<std::uint16_t>(lid)), next, paths);
  });
  return paths;
}

/// The group for every LID of one switch; none where it has only one port.
class SwitchGroups {
 public:
  SwitchGroups(const Fabric& fabric, const Lfts& lfts, std::span<const std::uint8_t> up,
               std::span<const std::uint64_t> weights, const TablePaths& paths)
      : fabric_(fabric), lfts_(lfts), up_(up), weights_(weights), paths_(paths) {}

  /// Smaller groups than `least` are dropped; where that is 1, static entries have groups of their
  /// own port.
  std::vector<PortMask> find(SwitchId sw, std::size_t least) const {
    const std::size_t blocks = fabric_.lid_top().value() / kLftBlock + std::size_t{1};
    std::vector<PortMask> groups(blocks * kLftBlock);
    for (std::size_t block = 0; block < std::min(blocks, lfts_.blocks()); ++block)
      fill(sw, block, std::span(groups).subspan(block * kLftBlock, kLftBlock));
    for (PortMask& group : groups)
      if (group.count() < least) group.reset();
    if (least == 1) add_fixed(sw, groups);
    return groups;
  }

 private:
  void fill(SwitchId sw, std::size_t block, std::span<PortMask> groups) const {
    const auto here = paths_.block(sw.value(), block);
    const auto ports = lfts_.block(sw, block);
    const std::uint32_t first = fabric_.first_channel(sw).value();
    const auto channels = fabric_.channels_from(sw);
    std::array<std::uint32_t, kLftBlock> own;  // the table's channel, from `first`
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      const ChannelId channel =
          here[i].fixed ? kNoChannel : fabric_.channel_at(sw, PortNum(ports[i]));
      own[i] = channel == kNoChannel ? kNone : channel.value() - first;
    }
    // Where next hops repeat, so do groups, if the table's port is up or down in both.
    std::array<std::uint8_t, kLftBlock> leader;
    std::array<std::uint8_t, kLftBlock> leaders;
    std::size_t count = 0;
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      leader[i] = static_cast<std::uint8_t>(i);
      if (own[i] == kNone) continue;
      if (i > 0 && own[i - 1] != kNone && paths_.repeats(block * kLftBlock + i) != 0 &&
          chooses_alike(channels, first, own[i - 1], own[i]))
        leader[i] = leader[i - 1];
      else
        leaders[count++] = static_cast<std::uint8_t>(i);
    }
    for (std::uint32_t c = 0; c < channels.size(); ++c) {
      const auto there = paths_.block(channels[c].to.value(), block);
      for (std::size_t l = 0; l < count; ++l) {
        const std::size_t i = leaders[l];
        if (serves(channels, first, own[i], c, here[i], there[i]))
          groups[i].set(channels[c].from_port.value());
      }
    }
    for (std::size_t i = 0; i < kLftBlock; ++i)
      if (leader[i] != i) groups[i] = groups[leader[i]];
  }

  void add_fixed(SwitchId sw, std::span<PortMask> groups) const {
    for (std::size_t lid = 0; lid < groups.size(); ++lid) {
      const TablePath path = paths_.block(sw.value(), lid / kLftBlock)[lid % kLftBlock];
      const PortNum port = lfts_.port(sw, Lid(static_cast<std::uint16_t>(lid)));
      if (path.fixed && path.hops != kUnreachable && fabric_.channel_at(sw, port) != kNoChannel)
        groups[lid].set(port.value());
    }
  }

  bool chooses_alike(std::span<const Channel> channels, std::uint32_t first, std::uint32_t own,
                     std::uint32_t other) const {
    if (own == other) return true;
    if (!weights_.empty() && weights_[first + own] != weights_[first + other]) return false;
    return up_.empty() ? channels[own].to == channels[other].to
                       : up_[first + own] == up_[first + other];
  }

  bool serves(std::span<const Channel> channels, std::uint32_t first, std::uint32_t own,
              std::uint32_t other, TablePath here, TablePath there) const {
    if (own == other) return true;
    if (!weights_.empty() && weights_[first + other] > weights_[first + own]) return false;
    if (up_.empty()) return channels[own].to == channels[other].to;
    if (there.hops + 1 != here.hops || up_[first + own] != up_[first + other]) return false;
    return up_[first + own] != 0 || there.descends;
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const Fabric& fabric_;
  const Lfts& lfts_;
  std::span<const std::uint8_t> up_;
  std::span<const std::uint64_t> weights_;
  const TablePaths& paths_;
};

/// Groups of one switch that exceeded its capacity.
struct Overflow {
  std::size_t groups = 0;
  std::size_t wanted = 0;
  std::size_t entries = 0;
};

/// Stores each different group once. Where there are more than the switch holds, groups of several
/// ports are kept before those of one port, then those that most LIDs use, among equals those of
/// the lowest LID.
Overflow put(SwitchId sw, std::span<const PortMask> wanted, std::size_t capacity, ArState mode,
             ArTables& tables) {
  struct Use {
    const PortMask* ports;
    std::size_t lids = 0;
  };
  std::unordered_map<PortMask, std::size_t> index;
  std::vector<Use> uses;  // by first LID
  std::vector<std::size_t> use_of(wanted.size());
  for (std::size_t lid = 0; lid < wanted.size(); ++lid) {
    if (wanted[lid].none()) continue;
    std::size_t use = lid > 0 && wanted[lid - 1] == wanted[lid] ? use_of[lid - 1] : uses.size();
    if (use == uses.size()) {
      const auto [at, added] = index.try_emplace(wanted[lid], uses.size());
      if (added) uses.push_back({&wanted[lid]});
      use = at->second;
    }
    ++uses[use].lids;
    use_of[lid] = use;
  }
  std::vector<std::size_t> order(uses.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > capacity)
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) {
      return std::pair(uses[i].ports->count() > 1, uses[i].lids);
    });
  Overflow overflow;
  overflow.wanted = order.size();
  std::vector<std::optional<std::uint16_t>> group(uses.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < capacity) {
      group[order[i]] = tables.add_group(sw, *uses[order[i]].ports);
    } else {
      ++overflow.groups;
      overflow.entries += uses[order[i]].lids;
    }
  }
  for (std::size_t lid = 0; lid < wanted.size(); ++lid)
    if (wanted[lid].any() && group[use_of[lid]])
      tables.set(sw, Lid(static_cast<std::uint16_t>(lid)), {mode, *group[use_of[lid]]});
  return overflow;
}

void note_overflow(const Fabric& fabric, std::span<const Overflow> overflows, Routes& routes) {
  std::size_t switches = 0;
  std::size_t entries = 0;
  std::optional<std::size_t> first;
  for (std::size_t s = 0; s < overflows.size(); ++s) {
    if (overflows[s].groups == 0) continue;
    if (!first) first = s;
    ++switches;
    entries += overflows[s].entries;
  }
  if (!first) return;
  const Overflow& one = overflows[*first];
  routes.notes.push_back(fmt::format(
      "adaptive routing: {} switches hold fewer groups than necessary (first {}, {} of {}): "
      "the groups that most LIDs use are kept, and {} entries stay static",
      switches, describe(fabric.node(SwitchId(static_cast<std::uint32_t>(*first)))),
      one.wanted - one.groups, one.wanted, entries));
}

void add_groups(const Fabric& fabric, std::span<const std::uint8_t> up, const GroupOptions& options,
                Routes& routes) {
  const AdaptiveOptions adaptive =
      options.adaptive != nullptr ? *options.adaptive : AdaptiveOptions{};
  if (!adaptive.enabled) return;
  const auto capacity = [&](std::size_t s) {
    return adaptive.group_capacity.empty()
               ? kArGroupsMax
               : std::min<std::size_t>(adaptive.group_capacity[s], kArGroupsMax);
  };
  const unsigned threads = threads_worth(
      std::uint64_t{fabric.channel_count()} * fabric.lid_top().value(), options.threads);
  const TablePaths paths = find_paths(fabric, routes.lfts, up, threads);
  const SwitchGroups groups(fabric, routes.lfts, up, options.hop_weights, paths);
  ArTables tables(fabric.switch_count(), fabric.lid_top());
  std::vector<Overflow> overflows(fabric.switch_count());
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    const std::size_t least = s < adaptive.notifies.size() && adaptive.notifies[s] != 0 ? 1 : 2;
    if (capacity(s) > 0)
      overflows[s] = put(sw, groups.find(sw, least), capacity(s), adaptive.mode, tables);
  });
  note_overflow(fabric, overflows, routes);
  routes.adaptive = std::move(tables);
}

}  // namespace

void add_parallel_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes) {
  add_groups(fabric, {}, options, routes);
}

void add_tree_groups(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     std::span<const std::uint32_t> ids, const GroupOptions& options,
                     Routes& routes) {
  std::vector<std::uint8_t> up;
  for (const Channel& channel : fabric.channels())
    up.push_back(goes_up(channel, rank, ids) ? 1 : 0);
  add_upward_groups(fabric, up, options, routes);
}

void add_upward_groups(const Fabric& fabric, std::span<const std::uint8_t> up,
                       const GroupOptions& options, Routes& routes) {
  const bool lag = options.adaptive != nullptr && options.adaptive->algorithm == ArAlgorithm::kLag;
  add_groups(fabric, lag ? std::span<const std::uint8_t>() : up, options, routes);
}

}  // namespace weft
