// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assigns LIDs to the endports of a fabric: existing LIDs are kept if possible, other endports get
// the lowest free LIDs.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

struct LidOptions {
  std::uint8_t lmc = 0;   // 0..7; CA and router ports get 2^lmc LIDs each
  bool lmc_esp0 = false;  // enhanced switch ports 0 get 2^lmc LIDs too
  bool reassign = false;  // ignore `wanted`
  std::vector<LidRange>
      avoid{};  // LIDs of ports that may return: used for new ports only if no other LID is free
};

/// Returns a range for each endport. `wanted` has one entry per endport, base 0 for no preference.
/// Without `reassign`, a wanted range is kept if it is valid, aligned, has the LMC of `options` for
/// this endport, and overlaps no range of an earlier endport. The other endports get the lowest
/// free aligned range in order of EndportId, outside of `avoid` if possible. Fails with kBadInput
/// if there are too few unicast LIDs, or if no aligned range is free; the message has the numbers
/// of LIDs needed and available.
Result<std::vector<LidRange>> assign_lids(const Fabric& fabric, std::span<const LidRange> wanted,
                                          const LidOptions& options);

/// The current LID ranges of the endports, by EndportId.
std::vector<LidRange> current_lids(const Fabric& fabric);

}  // namespace weft
