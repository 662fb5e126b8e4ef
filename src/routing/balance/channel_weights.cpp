// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/channel_weights.h"

#include <algorithm>

#include "fabric/link_rates.h"

namespace weft {
namespace {

/// Number of units in the time on the fastest link if other times are not multiples of that time:
/// FDR takes 1.84 times as long as EDR. The number is small, so that sums of loads fit in 32 bits
/// except on the largest subnets.
constexpr unsigned kParts = 16;

}  // namespace

std::vector<std::uint32_t> channel_weights(const Fabric& fabric) {
  const std::vector<std::uint32_t> rates = channel_rates(fabric);
  const unsigned fastest = rates.empty() ? 1 : std::ranges::max(rates);
  const bool whole = std::ranges::all_of(rates, [&](unsigned rate) { return fastest % rate == 0; });
  const unsigned unit = whole ? 1 : kParts;
  std::vector<std::uint32_t> weights;
  weights.reserve(rates.size());
  for (const unsigned rate : rates) weights.push_back((unit * fastest + rate / 2) / rate);
  return weights;
}

}  // namespace weft
