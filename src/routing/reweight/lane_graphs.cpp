// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/lane_graphs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weft::reweight {
namespace {

constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

}  // namespace

LaneGraphs::LaneGraphs(const Turns& turns, const Trunks& trunks, Forest& forest, PairLayers& layers)
    : turns_(turns),
      trunks_(trunks),
      forest_(forest),
      layers_(layers),
      group_of_(forest.arcs.switches(), kNoGroup),
      behind_(forest.arcs.switches()),
      next_(forest.arcs.switches(), 0) {
  for (std::uint32_t g = 0; g < forest.groups.size(); ++g)
    group_of_[forest.groups[g].destination.value()] = g;
}

/// Places of channels: first those that stand for their trunks, by the place of the trunk.
std::vector<std::uint32_t> LaneGraphs::by_channel(std::span<const std::uint32_t> places) const {
  std::vector<std::uint32_t> result(turns_.channel_count());
  std::uint32_t last = trunks_.count();
  for (std::uint32_t t = 0; t < trunks_.count(); ++t) {
    const auto channels = trunks_.channels_of(t);
    result[channels.front()] = places[t];
    for (const std::uint32_t other : channels.subspan(1)) result[other] = last++;
  }
  return result;
}

bool LaneGraphs::fill(std::span<const std::vector<std::uint32_t>> places) {
  lanes_.clear();
  for (unsigned lane = 0; lane < layers_.count; ++lane)
    lanes_.push_back(places.empty() ? AcyclicTurns(turns_)
                                    : AcyclicTurns(turns_, by_channel(places[lane])));
  for (std::uint32_t b = 0; b < forest_.arcs.switches(); ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      if (!exchange(a, b)) continue;
      AcyclicTurns& lane = lanes_[lane_of(a, b)];
      trace(a, b, there_);
      trace(b, a, back_);
      if (!lane.add_path(there_) || !lane.add_path(back_)) return false;
    }
  return true;
}

std::uint8_t& LaneGraphs::lane_of(std::uint32_t a, std::uint32_t b) {
  return layers_.of_pair[std::size_t{std::max(a, b)} * forest_.arcs.switches() + std::min(a, b)];
}

/// Stores the path as the first channels of its trunks; empty if there is no path.
void LaneGraphs::trace(std::uint32_t from, std::uint32_t to,
                       std::vector<std::uint32_t>& channels) const {
  channels.clear();
  if (group_of_[to] == kNoGroup) return;
  const auto tree = std::as_const(forest_).tree(group_of_[to]);
  if (tree[from] == kNoStep) return;
  for (std::uint32_t at = from; at != to;) {
    const std::uint32_t trunk = arc_of(forest_.arcs, tree, at);
    channels.push_back(trunks_.channels_of(trunk).front());
    at = trunks_.head[trunk];
  }
}

void LaneGraphs::begin(std::size_t group, const HopDag& dag) {
  group_ = group;
  destination_ = forest_.groups[group].destination.value();
  for (auto& behind : behind_) behind.clear();
  const auto tree = std::as_const(forest_).tree(group);
  for (const HopDag::Member& member : dag.members()) {
    next_[member.sw] = forest_.arcs.head[arc_of(forest_.arcs, tree, member.sw)];
    behind_[next_[member.sw]].push_back(member.sw);
  }
}

void LaneGraphs::collect(std::uint32_t sw) {
  if (exchange(sw, destination_)) sources_.push_back({sw, lane_of(sw, destination_)});
  for (const std::uint32_t s : behind_[sw]) collect(s);
}

/// Adds the new path of a source to the lane of its pair, or moves the paths of both directions to
/// another lane. Returns false if the paths close a cycle on every lane.
bool LaneGraphs::place(std::uint32_t source) {
  std::uint8_t& own = lane_of(source, destination_);
  trace(source, destination_, there_);
  if (lanes_[own].add_path(there_)) return true;
  trace(destination_, source, back_);
  lanes_[own].remove_path(back_);
  for (std::uint8_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lane == own || !lanes_[lane].add_path(there_)) continue;
    if (lanes_[lane].add_path(back_)) {
      own = lane;
      return true;
    }
    lanes_[lane].remove_path(there_);
  }
  CHECK(lanes_[own].add_path(back_));
  return false;
}

bool LaneGraphs::move(std::uint32_t sw, std::uint32_t arc) {
  sources_.clear();
  collect(sw);
  for (const Source& source : sources_) {
    trace(source.sw, destination_, there_);
    lanes_[source.lane].remove_path(there_);
  }
  std::uint8_t& step = forest_.tree(group_)[sw];
  const std::uint8_t before =
      std::exchange(step, static_cast<std::uint8_t>(arc - forest_.arcs.first[sw]));
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (!place(sources_[i].sw)) {
      take_back(i, before, sw);
      return false;
    }
  return true;
}

/// Undoes a move after place() succeeded for the first `placed` sources.
void LaneGraphs::take_back(std::size_t placed, std::uint8_t step, std::uint32_t sw) {
  for (const Source& source : std::span(sources_).first(placed)) {
    const std::uint8_t lane = lane_of(source.sw, destination_);
    trace(source.sw, destination_, there_);
    lanes_[lane].remove_path(there_);
    if (lane == source.lane) continue;
    trace(destination_, source.sw, back_);
    lanes_[lane].remove_path(back_);
  }
  forest_.tree(group_)[sw] = step;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    std::uint8_t& lane = lane_of(source.sw, destination_);
    trace(source.sw, destination_, there_);
    CHECK(lanes_[source.lane].add_path(there_));
    if (lane == source.lane) continue;
    trace(destination_, source.sw, back_);
    CHECK(lanes_[source.lane].add_path(back_));
    lane = source.lane;
  }
}

void LaneGraphs::moved(std::uint32_t sw) {
  const auto tree = std::as_const(forest_).tree(group_);
  std::erase(behind_[next_[sw]], sw);
  next_[sw] = forest_.arcs.head[arc_of(forest_.arcs, tree, sw)];
  behind_[next_[sw]].push_back(sw);
}

}  // namespace weft::reweight
