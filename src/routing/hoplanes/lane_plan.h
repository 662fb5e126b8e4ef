// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lanes by hop for all paths of tables, on as few virtual lanes as possible. Each pair of switches
// has one SL for the paths of both directions and to all LIDs, so that replies, which use the SL of
// their request, add no dependency.
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/hoplanes/channel_orders.h"

namespace weft::hoplanes {

/// One SL is reserved for multicast.
inline constexpr unsigned kSlsMost = 15;
/// Maximum number of classes of switches with an SL for each pair of classes.
inline constexpr unsigned kClassesMost = 6;
static_assert(kClassesMost * (kClassesMost - 1) / 2 <= kSlsMost);

struct LanePlan {
  unsigned lanes = 1;
  unsigned sls = 1;
  PathSl path_sl;
  Sl2Vl sl2vl;
};

/// A plan with the fewest lanes from `least` to `most`; nullopt if no plan on `most` lanes is
/// found. The orders are tried by the number of lanes that single paths require, the fewest first:
/// at most three orders, and one order on large fabrics. `classes` has the class of each switch, or
/// is empty: the SL of the classes of a pair of switches is tried first.
std::optional<LanePlan> plan_lanes(const Fabric& fabric, const Lfts& lfts,
                                   std::span<const ChannelOrder> orders,
                                   std::span<const std::uint32_t> classes, unsigned least,
                                   unsigned most, unsigned threads);

}  // namespace weft::hoplanes
