// Virtual lanes as engines deal them out: how many there are, whether tables do with one, and how
// paths are spread over lanes that nobody needs.
#pragma once

#include <cstdint>
#include <span>

#include "routes/lfts.h"
#include "routing/options.h"
#include "routing/shared/turns.h"

namespace weft {

/// Data VLs that every cabled port has, at most `vls_max` of them and at least 1.
unsigned lanes_available(const Fabric& fabric, unsigned vls_max);

/// The turns of all packets between hosts, to hosts and from hosts, as forwarding tables alone have
/// them.
TurnSet turns_of(const Fabric& fabric, const Turns& turns, const Lfts& lfts, unsigned threads);

/// No packets to or from hosts can wait in a circle, even if all share one lane. Switches send each
/// other nothing.
bool one_lane_does(const Fabric& fabric, const Turns& turns, const Lfts& lfts, unsigned threads);
/// What was laid on `count` lanes may do with one after all: then `lanes` and `count` say so.
void use_one_lane_if_it_does(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                             std::span<std::uint8_t> lanes, unsigned& count, unsigned threads);

/// Deals the paths of each lane out over several where `available` is more than `needed`, so that
/// the lanes carry about as many; any part of a lane's paths is as free of deadlock as all of them.
/// `lanes` is by source switch and LID, rows from LID 0 to the fabric's top LID. Returns the lanes
/// in use then.
unsigned spread_over_lanes(const Fabric& fabric, std::span<std::uint8_t> lanes, unsigned needed,
                           unsigned available, unsigned threads);

/// The same where `lanes` is by pair of switches, row by row and symmetric; it stays so.
unsigned spread_pairs_over_lanes(std::uint32_t switches, std::span<std::uint8_t> lanes,
                                 unsigned needed, unsigned available, unsigned threads);

}  // namespace weft
