// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The loads of all arcs, with the cost of each arc at its load.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/reweight/arcs.h"
#include "routing/reweight/potential.h"

namespace weft::reweight {

/// Doublings of a cost between load 0 and the largest load. With fewer doublings, passes reduce the
/// largest load less, but keep paths together that share arcs, so that the effective bisection
/// bandwidth is higher.
inline constexpr unsigned kSteepDoublings = 20;
inline constexpr unsigned kFlatDoublings = 16;

/// A cost is a Potential times the time of a flow. The part of an arc's load that arrives by the
/// same previous arc has a quarter of the weight, because the path already shares that arc with
/// these flows.
class ArcCosts {
 public:
  /// Keeps a reference to the arcs.
  ArcCosts(const Arcs& arcs, unsigned doublings, std::vector<std::uint64_t> load);

  std::span<const std::uint64_t> load() const { return load_; }
  std::uint64_t load(std::uint32_t arc) const { return load_[arc]; }

  /// Computes all costs relative to the largest load, if this load has changed since the last call.
  void measure();

  /// Cost of an arc for a path on which `met` flows arrive by the same previous arc.
  std::uint64_t of(std::uint32_t arc, std::uint64_t met) const {
    return reduced(cost_.data()[arc],
                   static_cast<std::uint64_t>(static_cast<double>(met) * part_.data()[arc]));
  }
  /// Like of(), while `flows` are added to the arc: the cost at the load with half of these flows.
  std::uint64_t with(std::uint32_t arc, std::uint64_t met, std::uint64_t flows) const {
    const std::uint64_t time = arcs_->time[arc];
    const std::uint64_t unit = std::max<std::uint64_t>(1, (load_[arc] + flows * time) / kWhole);
    return reduced(timed(load_[arc] + flows * time / 2, time), met * time / unit);
  }

  /// Load above which an arc is crowded; at first 0.
  void set_crowded(std::uint64_t load) { crowded_ = load; }
  bool is_crowded(std::uint32_t arc) const { return load_.data()[arc] > crowded_; }

  /// Adds `growth`, modulo 2^64, to a load. renew() must follow before of() reads this arc.
  void add(std::uint32_t arc, std::uint64_t growth) { load_[arc] += growth; }
  void renew(std::uint32_t arc) {
    const std::uint64_t time = arcs_->time[arc];
    cost_[arc] = timed(load_[arc], time);
    part_[arc] =
        static_cast<double>(kWhole * time) / static_cast<double>(std::max(kWhole, load_[arc]));
  }

 private:
  static constexpr std::uint64_t kWhole = 256;

  std::uint64_t timed(std::uint64_t load, std::uint64_t time) const {
    constexpr unsigned kShift = 8;  // sums of Potential::of() times a time would exceed 64 bits
    return potential_.of(load) * (time >> kShift) >> kShift;
  }
  static std::uint64_t reduced(std::uint64_t whole, std::uint64_t part) {
    return whole - whole / kWhole * (std::min(kWhole, part) * 3 / 4);
  }

  const Arcs* arcs_;
  unsigned doublings_;
  std::uint64_t top_ = 0;
  std::uint64_t crowded_ = 0;
  Potential potential_;
  std::vector<std::uint64_t> load_;  // by arc
  std::vector<std::uint64_t> cost_;  // by arc, at load_
  std::vector<double> part_;         // by arc: parts of kWhole that one flow has of load_
};

}  // namespace weft::reweight
