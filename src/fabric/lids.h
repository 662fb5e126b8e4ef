// Which LIDs the endports of a fabric get: old ones are kept, new ones are the lowest free.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

struct LidOptions {
  std::uint8_t lmc = 0;   // 0..7; CA and router ports get 2^lmc LIDs each
  bool lmc_esp0 = false;  // enhanced switch ports 0 get 2^lmc LIDs too
  bool reassign = false;  // forget `wanted`
  std::vector<LidRange>
      avoid{};  // given to nobody new while other LIDs are free: their owner may come back
};

/// A range for each endport. `wanted` has one entry per endport, base 0 where nothing is wanted; a
/// wanted range is kept where it is valid, aligned, has the right LMC and is not taken by an
/// earlier endport. The rest get the lowest free aligned range in order of EndportId. Fails with
/// kBadInput when the unicast LIDs do not suffice, saying how many are needed and how many there
/// are.
Result<std::vector<LidRange>> assign_lids(const Fabric& fabric, std::span<const LidRange> wanted,
                                          const LidOptions& options);

/// The ranges that the fabric's ports hold now, one per endport.
std::vector<LidRange> current_lids(const Fabric& fabric);

}  // namespace weft
