// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of nearly regular trees without counting loads: the closed form of engine ftree selects
// among the next hops that minhop, updn and dnup allow. On a full tree all cables of a level then
// carry the same load, so balancing cannot improve it. If cables are missing, destinations that are
// far apart in the order still use different cables, which balancing of total loads does not ensure
// (with 2% of the cables missing, this increases the effective bisection bandwidth by 5 to 10%).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/option_groups.h"

namespace weft {

/// Tables of shortest paths. Empty if the caller must use spread(): if the fabric is no tree by
/// shapes/levels.h, more than an eighth of the cables of a level are missing, cables differ in
/// speed, leaves differ in their number of hosts, a port has more than one LID, or the options
/// require balancing by other criteria than loads. With previous tables the result is that of
/// kept_tables.h, if it is not empty.
std::optional<Lfts> tree_form(const Fabric& fabric, const WeightedOptions& options);

/// Tables of up*/down* paths by these ranks, compared by goes_up(). Also empty if the levels of the
/// tree contradict the ranks, or if the options define up and down differently.
std::optional<Lfts> tree_form(const Fabric& fabric, const UpDownOptions& options,
                              std::span<const std::uint16_t> ranks);

}  // namespace weft
