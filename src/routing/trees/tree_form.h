// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Nearly regular trees without load counting: the closed form of engine ftree selects among the
// next hops that minhop, updn and dnup allow. On a full tree all cables of a level then carry the
// same load, which no balance can improve; with cables missing, destinations that are far apart in
// the order still use different cables, which a balance of sums does not ensure (5 to 10% of the
// effective bisection with 2% of the cables cut).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/option_groups.h"

namespace weft {

/// Tables of shortest paths. Empty where spread() has to balance: the fabric is no tree by
/// shapes/levels.h; more than an eighth of the cables of a level are missing, cables differ in
/// speed, or leaves in their number of hosts; a port has more than one LID; or the options require
/// a balance of anything but loads. With previous tables, those of kept_tables.h, if they apply.
std::optional<Lfts> tree_form(const Fabric& fabric, const WeightedOptions& options);

/// Tables of up*/down* paths by these ranks, compared by goes_up(). Empty also where the levels of
/// the tree contradict the ranks, or where the options define up and down otherwise.
std::optional<Lfts> tree_form(const Fabric& fabric, const UpDownOptions& options,
                              std::span<const std::uint16_t> ranks);

}  // namespace weft
