// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of nearly regular trees without counting loads: the closed form of engine ftree selects
// among the next hops that an engine such as minhop or updn allows. On a full tree all cables of a
// level then carry the same load, so balancing cannot improve it. If cables are missing,
// destinations that are far apart in the order still use different cables, which balancing of total
// loads does not ensure (with 2% of the cables missing, this increases the effective bisection
// bandwidth by 5 to 10%).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/option_groups.h"

namespace weft {

/// Tables of shortest paths. Returns nullopt if the caller must use spread(): if the fabric is no
/// tree by shapes/levels.h, the children of a family have different parents, more than an eighth of
/// the cables of a level are missing, cables differ in speed, leaf_stride() is 0 because leaves
/// differ much in their number of hosts, a port has more than one LID, or the options require
/// balancing by other criteria than loads. With previous tables, the previous fabric must be known,
/// and the result is that of keep_tables().
std::optional<Lfts> tree_form(const Fabric& fabric, const WeightedOptions& options);

/// Tables of up*/down* paths by these ranks, compared by goes_up(). Also returns nullopt if the
/// levels of the tree contradict the ranks, or if the options have connect_roots or switch_rank.
std::optional<Lfts> tree_form(const Fabric& fabric, const UpDownOptions& options,
                              std::span<const std::uint16_t> ranks);

}  // namespace weft
