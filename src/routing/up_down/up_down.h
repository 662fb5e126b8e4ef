// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Up*/down* paths by ranks of the switches, for updn, dnup and ar_updn: after a legal path turns
// down it never goes up again, so channels cannot form a cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/option_groups.h"
#include "routing/reweight/forest.h"

namespace weft {

/// Ranks by the levels of shapes/levels.h, the top level being 0; empty if the fabric is no tree.
/// (If cables are missing, distances to hosts would rank a damaged top switch below the others.)
std::vector<std::uint16_t> tree_ranks(const Fabric& fabric);

/// The next hops of the shortest legal paths toward each switch; with connect_roots, also next hops
/// for switches without a legal path. `fabric` and all data to which `options` refers must outlive
/// the result.
reweight::Candidates up_down_candidates(const Fabric& fabric, std::span<const std::uint16_t> rank,
                                        const UpDownOptions& options);

/// Up*/down* paths for any ranks, compared by goes_up() in shapes/ranks.h, and then the paths of
/// connect_remaining_switches().
Routes route_up_down(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     const UpDownOptions& options, std::string_view engine);

/// Two switches with hosts in one part, the first without a legal path to the second; nullopt if
/// there are none. `ids` is as for goes_up().
std::optional<std::pair<SwitchId, SwitchId>> leaves_without_path(
    const Fabric& fabric, std::span<const std::uint16_t> rank, std::span<const std::uint32_t> ids,
    unsigned threads);
/// As leaves_without_path(), in one part.
std::optional<std::pair<SwitchId, SwitchId>> leaves_without_path_in(
    const Fabric& fabric, std::span<const SwitchId> part, std::span<const std::uint16_t> rank,
    std::span<const std::uint32_t> ids, unsigned threads);

}  // namespace weft
