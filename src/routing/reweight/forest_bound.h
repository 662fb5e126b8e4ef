// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A lower bound of the largest load of any trees of candidates, by duality of linear programs: for
// any lengths of the arcs, the sum over all flows of their distance / the sum of the lengths. Good
// lengths are equal ones, powers of the loads, and the output or input arcs of one switch. Each
// length takes a step for each candidate, whereas a pass takes one for each tree.
// (congestion/quality/load_bound.h searches better lengths, for all paths, and takes longer.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/reweight/forest.h"

namespace weft::reweight {

class ForestBound {
 public:
  /// Begins with the bound that follows from the arcs of one switch at a time. Keeps references.
  ForestBound(const Forest& forest, const CandidateStore& candidates, unsigned threads);

  /// Whether the largest of the loads (by arc) is at most `percent` % of the bound. The first call
  /// improves the bound by several powers of the loads, unless the answer is already yes; later
  /// calls use the power that was best.
  bool is_near(std::span<const std::uint64_t> load, unsigned percent);

  /// In the unit of the loads. 0 if no flow has a path of candidates.
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t of_single_switches() const;
  std::uint64_t of_lengths(std::span<const std::uint64_t> lengths) const;
  void improve(std::span<const std::uint64_t> load, unsigned squarings);

  const Forest& forest_;
  const CandidateStore& store_;
  const unsigned threads_;
  std::vector<std::uint64_t> weight_;  // by group: sum of the weights of its trees that may change
  std::optional<unsigned> squarings_;  // of the best power; empty before the first power
  std::uint64_t value_ = 0;
};

/// Load above which arcs are crowded, for passes that move only paths over crowded arcs. If at
/// least one in 32 switches has no hosts, as in trees: the greater of 102% of the bound and 80% of
/// the largest load, since unnecessary moves decrease the effective bisection: they combine flows
/// of different hosts that used different links. Otherwise 0.
std::uint64_t crowded_load(const Arcs& arcs, std::uint64_t bound,
                           std::span<const std::uint64_t> load);

}  // namespace weft::reweight
