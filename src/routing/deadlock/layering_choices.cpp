// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Layering: the possible layers of the selected paths of each pair.
#include <functional>
#include <queue>

#include "base/parallel.h"
#include "routing/deadlock/layering.h"
#include "routing/deadlock/layers.h"

namespace weft::layering {

/// Returns, by trunk, the position in a sequence in which all turns of a free layer ascend. The
/// sequence differs little from that of row_of() for the order with the number of the layer.
std::vector<std::uint32_t> Layering::extend(unsigned layer) const {
  const AcyclicTurns& free = free_[layer - first_free_];
  const auto row = orders_.row_of(layer, trunks_);
  const auto key = [&](std::uint32_t trunk) { return std::uint64_t{row[trunk]} << 32 | trunk; };
  const auto each_turn = [&](std::uint32_t in, const auto& body) {
    const std::uint32_t over = trunks_.head[in];
    for (std::uint32_t out = trunks_.begin[over]; out < trunks_.begin[over + 1]; ++out)
      if (free.has(lead(in), lead(out))) body(out);
  };
  std::vector<std::uint32_t> waiting(trunks_.count(), 0);
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    each_turn(t, [&](std::uint32_t out) { ++waiting[out]; });
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> ready;
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    if (waiting[t] == 0) ready.push(key(t));
  std::vector<std::uint32_t> place(trunks_.count(), 0);
  for (std::uint32_t next = 0; !ready.empty(); ++next) {
    const auto trunk = static_cast<std::uint32_t>(ready.top());
    ready.pop();
    place[trunk] = next;
    each_turn(trunk, [&](std::uint32_t out) {
      if (--waiting[out] == 0) ready.push(key(out));
    });
  }
  return place;
}

bool Layering::ascends(std::uint32_t from, std::uint32_t to,
                       std::span<const std::uint32_t> place) const {
  const Path* path = &path_[at(0, to)];
  std::uint32_t trunk = path[from].trunk;
  for (std::uint32_t s = trunks_.head[trunk]; s != to; s = trunks_.head[trunk]) {
    const std::uint32_t out = path[s].trunk;
    if (place[out] < place[trunk]) return false;
    trunk = out;
  }
  return true;
}

/// Returns the possible layers by pair of switches. A free layer is possible if the paths of the
/// pair ascend in the sequence of the layer.
std::vector<Mask> Layering::choices(unsigned threads) const {
  std::vector<Mask> found(path_.size(), 0);
  std::vector<std::vector<std::uint32_t>> places;
  for (unsigned layer = first_free_; layer < layers_; ++layer) places.push_back(extend(layer));
  constexpr std::uint64_t kStepsOfPair = 32;
  threads = threads_worth(kStepsOfPair * switches_ * switches_, threads);
  parallel_for(switches_, threads, [&](std::size_t row) {
    const auto b = static_cast<std::uint32_t>(row);
    for (std::uint32_t a = 0; a < b; ++a) {
      const Path& there = path_[at(a, b)];
      const Path& back = path_[at(b, a)];
      if (there.trunk == LayeredPairs::kNoTrunk || has_no_hosts({a, b})) continue;
      unsigned layers = there.agree & back.agree;
      for (unsigned i = 0; i < places.size(); ++i)
        if (ascends(a, b, places[i]) && ascends(b, a, places[i])) layers |= 1u << (first_free_ + i);
      found[at(a, b)] = static_cast<Mask>(layers);
    }
  });
  return found;
}

LayeredPairs Layering::take(unsigned threads) {
  LayeredPairs pairs;
  pairs.count = layers_;
  pairs.layers = distribute_layers(switches_, pairs.count, choices(threads));
  pairs.next.reserve(path_.size());
  for (const Path& path : path_) pairs.next.push_back(path.trunk);
  return pairs;
}

}  // namespace weft::layering
