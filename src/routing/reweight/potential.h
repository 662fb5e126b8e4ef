// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The cost of a channel as a function of its load: it doubles several times up to the largest
// load, so that the most loaded channels are avoided first. The result is an integer, equal on
// every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::reweight {

class Potential {
 public:
  /// `top`: the largest load, at least 1.
  Potential(std::uint64_t top, unsigned doublings);

  /// 2^(doublings * load / top) in units of 2^-kFractionBits; constant from 2^kMost on, so that
  /// sums over paths of up to kHopsMost channels do not overflow.
  std::uint64_t of(std::uint64_t load) const {
    const auto exponent = static_cast<std::uint64_t>(static_cast<double>(load) * scale_);
    const auto whole = static_cast<unsigned>(exponent >> kExponentBits);
    if (whole >= kMost) return std::uint64_t{1} << (kMost + kFractionBits);
    const std::size_t step = exponent >> kBetweenBits & (kSteps - 1);
    const std::uint64_t between = exponent & ((1u << kBetweenBits) - 1);
    const std::uint64_t here = powers_[step];
    return (here + ((powers_[step + 1] - here) * between >> kBetweenBits)) << whole;
  }

  static constexpr unsigned kFractionBits = 14;
  static constexpr unsigned kMost = 30;
  static constexpr std::uint32_t kHopsMost = 512;

 private:
  static constexpr unsigned kStepBits = 8;
  static constexpr unsigned kBetweenBits = 10;
  static constexpr unsigned kExponentBits = kStepBits + kBetweenBits;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;

  double scale_;  // factor from a load to an exponent in units of 2^-kExponentBits
  std::vector<std::uint64_t> powers_;  // 2^(i / kSteps), from i = 0 to kSteps
};

}  // namespace weft::reweight
