// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/lanes_in_order.h"

#include <utility>

#include "base/check.h"

namespace weft::ordered {

namespace {

constexpr std::uint64_t kVisitsPerChannel = 64;  // limit of the search in each lane

}  // namespace

LanesInOrder::LanesInOrder(const Fabric& fabric, const Turns& turns, const Trunks& trunks,
                           const SwitchOrders& orders, unsigned count)
    : fabric_(fabric), turns_(turns), trunks_(trunks), orders_(orders) {
  while (this->count() < count) add_lane();
}

void LanesInOrder::add_lane() {
  // Other cables of trunks are placed after all first cables.
  const auto row = orders_.row_of(count(), trunks_);
  std::vector<std::uint32_t> place(fabric_.channel_count());
  std::uint32_t next = trunks_.count();
  for (std::uint32_t t = 0; t < trunks_.count(); ++t) {
    const auto cables = trunks_.channels_of(t);
    place[cables.front()] = row[t];
    for (const std::uint32_t cable : cables.subspan(1)) place[cable] = next++;
  }
  lanes_.emplace_back(turns_, std::move(place), kVisitsPerChannel * fabric_.channel_count());
}

void LanesInOrder::add_in_order(const Paths& paths) {
  std::vector<TrunkTurns> added(lanes_.size(), TrunkTurns(trunks_));
  for (std::size_t s = 0; s < paths.switches; ++s)
    for (std::size_t lid = 0; lid < paths.lids; ++lid)
      if (paths.lane[paths.at(s, lid)] < lanes_.size()) add_in_order(paths, s, lid, added);
}

bool LanesInOrder::assign_others(Paths& paths) {
  for (std::size_t lid = 0; lid < paths.lids; ++lid)
    for (std::size_t s = 0; s < paths.switches; ++s)
      if (paths.lane[paths.at(s, lid)] == kUnfitted && !assign_any_lane(paths, s, lid))
        return false;
  return true;
}

bool LanesInOrder::assign_other_pairs(std::span<const std::vector<Lid>> lids, Paths& paths) {
  for (std::size_t b = 0; b < paths.switches; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (lane_of(lids, a, b, paths) == kUnfitted && !assign_pair_any_lane(lids, a, b, paths))
        return false;
  return true;
}

void LanesInOrder::add_in_order(const Paths& paths, std::size_t s, std::size_t lid,
                                std::span<TrunkTurns> added) {
  const std::uint8_t lane = paths.lane[paths.at(s, lid)];
  std::uint32_t in = paths.trunk[paths.at(s, lid)];
  while (true) {
    const std::uint32_t over = trunks_.head[in];
    const std::size_t rest = paths.at(over, lid);
    const std::uint32_t out = paths.trunk[rest];
    if (out == kNoTrunk) return;
    if (added[lane].add(in, out - trunks_.begin[over]))
      CHECK(lanes_[lane].add(lead(in), lead(out)));
    if (paths.lane[rest] == lane) return;
    in = out;
  }
}

void LanesInOrder::trace(const Paths& paths, std::size_t s, std::size_t lid) {
  channels_.clear();
  for (std::uint32_t trunk = paths.trunk[paths.at(s, lid)]; trunk != kNoTrunk;
       trunk = paths.trunk[paths.at(trunks_.head[trunk], lid)])
    channels_.push_back(lead(trunk));
}

bool LanesInOrder::assign_pair_any_lane(std::span<const std::vector<Lid>> lids, std::size_t a,
                                        std::size_t b, Paths& paths) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;  // source and LID
  for (const Lid lid : lids[b]) ends.emplace_back(a, lid.value());
  for (const Lid lid : lids[a]) ends.emplace_back(b, lid.value());
  for (std::size_t lane = lanes_.size(); lane-- > 0;) {
    std::size_t added = 0;
    for (; added < ends.size(); ++added) {
      trace(paths, ends[added].first, ends[added].second);
      if (!lanes_[lane].add_path(channels_)) break;
    }
    if (added == ends.size()) {
      for (const auto& [s, lid] : ends)
        paths.lane[paths.at(s, lid)] = static_cast<std::uint8_t>(lane);
      return true;
    }
    while (added-- > 0) {
      trace(paths, ends[added].first, ends[added].second);
      lanes_[lane].remove_path(channels_);
    }
  }
  return false;
}

bool LanesInOrder::assign_any_lane(Paths& paths, std::size_t s, std::size_t lid) {
  trace(paths, s, lid);
  // The last lane has the fewest paths.
  for (std::size_t lane = lanes_.size(); lane-- > 0;)
    if (lanes_[lane].add_path(channels_)) {
      paths.lane[paths.at(s, lid)] = static_cast<std::uint8_t>(lane);
      return true;
    }
  return false;
}

}  // namespace weft::ordered
