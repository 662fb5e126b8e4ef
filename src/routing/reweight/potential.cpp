// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/potential.h"

namespace weft::reweight {

Potential::Potential(std::uint64_t top, unsigned doublings)
    : scale_(static_cast<double>(doublings << kExponentBits) / static_cast<double>(top)) {
  // 2^(1/256) in units of 2^-32: exact to 2^-23 after 256 products.
  constexpr std::uint64_t kRoot = 4306612134;
  std::uint64_t power = std::uint64_t{1} << 31;
  for (std::size_t i = 0; i < kSteps; ++i) {
    powers_.push_back(power >> (31 - kFractionBits));
    power = (power >> 1) * (kRoot >> 1) >> 30;
  }
  powers_.push_back(std::uint64_t{2} << kFractionBits);
}

}  // namespace weft::reweight
