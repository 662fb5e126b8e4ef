// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/class_paths.h"

#include <algorithm>
#include <atomic>

namespace weft {
namespace {

/// The path from a switch to a LID by the tables.
struct TablePath {
  std::uint8_t hops = ClassPaths::kNoPath;  // hop count to the switch of the LID
  bool descends : 1 = false;                // no further hop is an up hop
  bool fixed : 1 = false;                   // the entry stays static
};

/// Follows the paths of the tables to a LID.
class PathFinder {
 public:
  PathFinder(std::span<const std::uint8_t> up, StaticEntries static_entries, std::uint32_t switches,
             std::vector<std::uint8_t>& turns_up)
      : up_(up), static_entries_(static_entries), turns_up_(turns_up), path_(switches) {}

  /// `next_hops`: by switch, the hop toward the LID.
  std::span<const TablePath> find(SwitchId destination, std::span<const PortMap::Hop> next_hops) {
    next_hops_ = next_hops;
    std::ranges::fill(path_, TablePath{});
    path_[destination.value()] = {0, true, true};
    wrong_.clear();
    for (std::uint32_t s = 0; s < path_.size(); ++s) measure(s);
    for (std::uint32_t at : wrong_) {
      note_turn(at);
      if (static_entries_ == StaticEntries::kDownHops)
        path_[at].fixed = true;
      else
        for (; !path_[at].fixed; at = next_hops_[at].to.value()) path_[at].fixed = true;
    }
    return path_;
  }

 private:
  void measure(std::uint32_t start) {
    walk_.clear();
    std::uint32_t at = start;
    while (path_[at].hops == ClassPaths::kNoPath && next_hops_[at].to != kNoSwitch &&
           walk_.size() <= path_.size()) {
      walk_.push_back(at);
      at = next_hops_[at].to.value();
    }
    for (std::size_t i = walk_.size(); i-- > 0;) {
      if (path_[at].hops >= ClassPaths::kNoPath - 1) return;
      const std::uint32_t from = walk_[i];
      const bool up = up_[next_hops_[from].channel.value()] != 0;
      path_[from].hops = static_cast<std::uint8_t>(path_[at].hops + 1);
      path_[from].descends = !up && path_[at].descends;
      if (!up && !path_[at].descends) wrong_.push_back(from);
      at = from;
    }
  }

  /// Marks the first hop of a path with an up hop after a down hop if the second hop is up.
  void note_turn(std::uint32_t at) {
    const PortMap::Hop& next = next_hops_[next_hops_[at].to.value()];
    if (next.to != kNoSwitch && up_[next.channel.value()] != 0)
      std::atomic_ref(turns_up_[next_hops_[at].channel.value()])
          .store(1, std::memory_order_relaxed);
  }

  std::span<const std::uint8_t> up_;  // by channel
  const StaticEntries static_entries_;
  std::vector<std::uint8_t>& turns_up_;  // by channel
  std::span<const PortMap::Hop> next_hops_;
  std::vector<TablePath> path_;
  std::vector<std::uint32_t> walk_;
  std::vector<std::uint32_t> wrong_;
};

}  // namespace

void find_class_paths(const Fabric& fabric, const Lfts& lfts, const PortMap& map,
                      std::span<const std::uint8_t> up, StaticEntries static_entries,
                      std::span<const LidClass> classes, ClassPaths& paths,
                      std::vector<std::uint8_t>& turns_up) {
  const std::uint32_t switches = fabric.switch_count();
  std::vector<PortMap::Hop> next_hops(switches * classes.size());  // row by class
  for (std::uint32_t s = 0; s < switches; ++s)
    for (std::size_t i = 0; i < classes.size(); ++i)
      next_hops[i * switches + s] =
          map.hop(SwitchId(s), lfts.port(SwitchId(s), classes[i].leader()));
  std::vector<TablePath> found(switches * classes.size());  // row by class
  PathFinder finder(up, static_entries, switches, turns_up);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto path =
        finder.find(classes[i].destination, std::span(next_hops).subspan(i * switches, switches));
    std::ranges::copy(path, found.begin() + static_cast<std::ptrdiff_t>(i * switches));
  }
  for (std::uint32_t s = 0; s < switches; ++s)
    for (std::size_t i = 0; i < kClassesAtOnce; ++i) {
      const TablePath path = i < classes.size() ? found[i * switches + s] : TablePath{};
      const std::size_t place = s * kClassesAtOnce + i;
      const bool goes_on = path.hops != ClassPaths::kNoPath && !path.fixed;
      const auto next = static_cast<std::uint8_t>(path.hops - 1);
      paths.hops_[place] = path.hops == ClassPaths::kFixed ? ClassPaths::kNoPath : path.hops;
      paths.down_hops_[place] = path.descends ? paths.hops_[place] : ClassPaths::kNoPath;
      paths.up_wanted_[place] = goes_on && !path.descends ? next : ClassPaths::kFixed;
      paths.down_wanted_[place] = goes_on && path.descends ? next : ClassPaths::kFixed;
    }
}

}  // namespace weft
