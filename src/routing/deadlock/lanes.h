// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual lanes for engines: the number of available lanes, the turns of tables, a check whether
// tables need more than one lane, and the distribution of paths over unused lanes.
#pragma once

#include <cstdint>
#include <span>

#include "routes/lfts.h"
#include "routing/deadlock/turns.h"
#include "routing/options.h"

namespace weft {

/// Number of data VLs that every cabled port has, at most `vls_max` and 15, and at least 1.
unsigned lanes_available(const Fabric& fabric, unsigned vls_max);

/// The turns of all packets to and from hosts, computed from the forwarding tables alone.
TurnSet turns_of(const Fabric& fabric, const Turns& turns, const Lfts& lfts, unsigned threads);

/// Whether packets to and from hosts are deadlock-free if all use one lane. Packets between port 0
/// of two switches are ignored.
bool is_acyclic_on_one_lane(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                            unsigned threads);
/// Collapses `count` lanes to one if the result is still deadlock-free; updates `lanes` and
/// `count`.
void collapse_to_one_lane(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                          std::span<std::uint8_t> lanes, unsigned& count, unsigned threads);

/// Distributes the paths of each lane evenly over several lanes if `available` is more than
/// `needed`; any subset of the paths of a lane is deadlock-free, too. `lanes` is by source switch
/// and LID, rows from LID 0 to the fabric's top LID. Returns the number of lanes in use.
unsigned spread_over_lanes(const Fabric& fabric, std::span<std::uint8_t> lanes, unsigned needed,
                           unsigned available, unsigned threads);

/// Like spread_over_lanes(), with `lanes` by pair of switches, row by row. `lanes` is symmetric,
/// and the result is symmetric, too.
unsigned spread_pairs_over_lanes(std::uint32_t switches, std::span<std::uint8_t> lanes,
                                 unsigned needed, unsigned available, unsigned threads);

}  // namespace weft
