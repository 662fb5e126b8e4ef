// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies copied LIDs (routes/lid_copies.h): the verdict on the routes holds for a copy if all its
// entries equal those of the LID that it copies.
#pragma once

#include <cstdint>
#include <span>

#include "routes/lid_copies.h"

namespace weft {

/// Number of pairs of a switch and a copied LID with an entry, in the forwarding table or in any
/// table of adaptive routing, or a group number that differs from that of the endport's LID.
std::uint64_t count_differing_copies(const Routes& routes, std::span<const LidCopy> copies);

}  // namespace weft
