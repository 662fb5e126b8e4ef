// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/layer_graphs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weft::reweight {
namespace {

constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

}  // namespace

LayerGraphs::LayerGraphs(const Turns& turns, const Trunks& trunks, Forest& forest,
                         PairLayers& layers)
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

/// Places of channels: the first channel of each trunk has the place of the trunk; the other
/// channels follow.
std::vector<std::uint32_t> LayerGraphs::by_channel(std::span<const std::uint32_t> places) const {
  std::vector<std::uint32_t> result(turns_.channel_count());
  std::uint32_t last = trunks_.count();
  for (std::uint32_t t = 0; t < trunks_.count(); ++t) {
    const auto channels = trunks_.channels_of(t);
    result[channels.front()] = places[t];
    for (const std::uint32_t other : channels.subspan(1)) result[other] = last++;
  }
  return result;
}

bool LayerGraphs::fill(std::span<const std::vector<std::uint32_t>> places) {
  graphs_.clear();
  for (unsigned layer = 0; layer < layers_.count; ++layer)
    graphs_.push_back(places.empty() ? AcyclicTurns(turns_)
                                     : AcyclicTurns(turns_, by_channel(places[layer])));
  for (std::uint32_t b = 0; b < forest_.arcs.switches(); ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      if (!exchange(a, b)) continue;
      AcyclicTurns& layer = graphs_[layer_of(a, b)];
      trace(a, b, there_);
      trace(b, a, back_);
      if (!layer.add_path(there_) || !layer.add_path(back_)) return false;
    }
  return true;
}

std::uint8_t& LayerGraphs::layer_of(std::uint32_t a, std::uint32_t b) {
  return layers_.of_pair[std::size_t{std::max(a, b)} * forest_.arcs.switches() + std::min(a, b)];
}

/// Stores the path as the first channels of its trunks; empty if there is no path.
void LayerGraphs::trace(std::uint32_t from, std::uint32_t to,
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

void LayerGraphs::begin(std::size_t group, const HopDag& dag) {
  group_ = group;
  destination_ = forest_.groups[group].destination.value();
  for (auto& behind : behind_) behind.clear();
  const auto tree = std::as_const(forest_).tree(group);
  for (const HopDag::Member& member : dag.members()) {
    next_[member.sw] = forest_.arcs.head[arc_of(forest_.arcs, tree, member.sw)];
    behind_[next_[member.sw]].push_back(member.sw);
  }
}

void LayerGraphs::collect(std::uint32_t sw) {
  if (exchange(sw, destination_)) sources_.push_back({sw, layer_of(sw, destination_)});
  for (const std::uint32_t s : behind_[sw]) collect(s);
}

/// Adds the new path of a source to the layer of its pair, or moves the paths of both directions
/// to another layer. Returns false if the paths close a cycle in every layer.
bool LayerGraphs::place(std::uint32_t source) {
  std::uint8_t& own = layer_of(source, destination_);
  trace(source, destination_, there_);
  if (graphs_[own].add_path(there_)) return true;
  trace(destination_, source, back_);
  graphs_[own].remove_path(back_);
  for (std::uint8_t layer = 0; layer < graphs_.size(); ++layer) {
    if (layer == own || !graphs_[layer].add_path(there_)) continue;
    if (graphs_[layer].add_path(back_)) {
      own = layer;
      return true;
    }
    graphs_[layer].remove_path(there_);
  }
  CHECK(graphs_[own].add_path(back_));
  return false;
}

bool LayerGraphs::move(std::uint32_t sw, std::uint32_t arc) {
  sources_.clear();
  collect(sw);
  for (const Source& source : sources_) {
    trace(source.sw, destination_, there_);
    graphs_[source.layer].remove_path(there_);
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
void LayerGraphs::take_back(std::size_t placed, std::uint8_t step, std::uint32_t sw) {
  for (const Source& source : std::span(sources_).first(placed)) {
    const std::uint8_t layer = layer_of(source.sw, destination_);
    trace(source.sw, destination_, there_);
    graphs_[layer].remove_path(there_);
    if (layer == source.layer) continue;
    trace(destination_, source.sw, back_);
    graphs_[layer].remove_path(back_);
  }
  forest_.tree(group_)[sw] = step;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    std::uint8_t& layer = layer_of(source.sw, destination_);
    trace(source.sw, destination_, there_);
    CHECK(graphs_[source.layer].add_path(there_));
    if (layer == source.layer) continue;
    trace(destination_, source.sw, back_);
    CHECK(graphs_[source.layer].add_path(back_));
    layer = source.layer;
  }
}

void LayerGraphs::moved(std::uint32_t sw) {
  const auto tree = std::as_const(forest_).tree(group_);
  std::erase(behind_[next_[sw]], sw);
  next_[sw] = forest_.arcs.head[arc_of(forest_.arcs, tree, sw)];
  behind_[next_[sw]].push_back(sw);
}

}  // namespace weft::reweight
