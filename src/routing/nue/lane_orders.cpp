// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/lane_orders.h"

#include <algorithm>
#include <bit>

namespace weft::nue {

LaneOrders::LaneOrders(const Arcs& arcs, std::span<const Ranking> rankings)
    : lanes(static_cast<unsigned>(rankings.size())),
      stride(std::bit_ceil(rankings.size())),
      number(arcs.count() * stride, kArrived),
      limit(arcs.count() * stride, kClosed) {
  std::vector<std::uint32_t> in;
  for (std::uint32_t s = 0; s < arcs.switches; ++s) {
    in.clear();
    for (std::uint32_t out = arcs.begin[s]; out < arcs.begin[s + 1]; ++out)
      in.push_back(arcs.reverse[out]);
    for (unsigned l = 0; l < lanes; ++l) {
      const Order& order = rankings[l].order;
      std::ranges::sort(in, {}, [&](std::uint32_t arc) { return order[arc]; });
      for (std::size_t i = 0; i < in.size(); ++i)
        number[in[i] * stride + l] = static_cast<Limit>(i + 1);
      for (std::uint32_t out = arcs.begin[s]; out < arcs.begin[s + 1]; ++out) {
        const auto before = std::ranges::lower_bound(in, order[out], {},
                                                     [&](std::uint32_t arc) { return order[arc]; });
        limit[out * stride + l] = static_cast<Limit>(before - in.begin() + 1);
      }
    }
  }
}

}  // namespace weft::nue
