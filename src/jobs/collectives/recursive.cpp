// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Exchanges with a partner at distances that double or halve. Let p be the largest power of two
// that is at most the number of ranks. Each rank from p on first sends its input to a rank below p,
// and receives its result from that rank at the end.
#include <bit>

#include "jobs/collectives/collectives.h"

namespace weft::jobs {
namespace {

class RecursiveExchange {
 public:
  RecursiveExchange(Ranks& ranks, const Group& group, std::vector<Front>& fronts)
      : ranks_(ranks), group_(group), fronts_(fronts) {}

  /// Adds the messages of each pair of places at this distance among the first `count` places: one
  /// in each direction.
  void exchange(std::uint32_t count, std::uint32_t distance, double bytes) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t j = i ^ distance;
      if (j < i) continue;
      const OpId there = message(i, j, bytes);
      const OpId back = message(j, i, bytes);
      front(i) = front(j) = {there, back};
    }
  }

  void send(std::uint32_t from, std::uint32_t to, double bytes) {
    const OpId op = message(from, to, bytes);
    front(from) = front(to) = {op, kNoOp};
  }

 private:
  Front& front(std::uint32_t place) { return fronts_[group_[place]]; }
  OpId message(std::uint32_t from, std::uint32_t to, double bytes) {
    return ranks_.send(ranks_.connection(group_[from], group_[to]), bytes, front(from), front(to));
  }

  Ranks& ranks_;
  const Group& group_;
  std::vector<Front>& fronts_;
};

}  // namespace

void add_recursive(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                   std::vector<Front>& fronts) {
  const auto n = static_cast<std::uint32_t>(group.size());
  const std::uint32_t core = std::bit_floor(n);
  const bool scatters = spec.work != Work::kAllGather;
  const bool gathers = spec.work != Work::kReduceScatter;
  RecursiveExchange exchange(ranks, group, fronts);
  for (std::uint32_t i = core; i < n; ++i)
    exchange.send(i, i - core, scatters ? spec.bytes : spec.bytes / n);
  if (spec.work == Work::kAllReduce && spec.algorithm == Algorithm::kRecursiveDoubling) {
    for (std::uint32_t distance = 1; distance < core; distance *= 2)
      exchange.exchange(core, distance, spec.bytes);
  } else {
    if (scatters)
      for (std::uint32_t distance = core / 2; distance > 0; distance /= 2)
        exchange.exchange(core, distance, spec.bytes * distance / core);
    if (gathers)
      for (std::uint32_t distance = 1; distance < core; distance *= 2)
        exchange.exchange(core, distance, spec.bytes * distance / core);
  }
  for (std::uint32_t i = core; i < n; ++i)
    exchange.send(i - core, i, gathers ? spec.bytes : spec.bytes / n);
}

}  // namespace weft::jobs
