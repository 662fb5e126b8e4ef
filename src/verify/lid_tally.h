// What judging one LID after another yields, whichever way packets for it are followed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "verify/dependencies.h"
#include "verify/verify.h"

namespace weft {

inline constexpr std::uint8_t kDropVl = 15;

/// What is the same for every LID.
struct Common {
  unsigned vls = 1;
  std::uint64_t cas = 0;  // CA ports
  bool drops = false;     // some SL2VL map sends an SL to VL 15
};

/// What one task found about its LIDs.
struct LidTally {
  ReachCount ca_to_ca, switch_to_ca, ca_to_switch, switch_to_switch;
  std::uint64_t loops = 0;
  std::vector<WalkFailure> failures;
  std::map<SwitchId, std::uint64_t> broken;
};

/// Who waits for whom, by whose packets.
struct Dependencies {
  DependencyGraph cas;       // packets between CAs
  DependencyGraph switches;  // what packets to and from port 0 of switches add
};

/// Where packets for a LID end that start at a switch, and how.
struct LidEnd {
  bool known = false;
  WalkEnd end{};
  SwitchId where;
};

/// Adds the sources that reach the LID, and those that do not. `ends` is by switch. Sources at the
/// same switch share their fate, but for those whose packets an SL2VL map drops on the way: it is
/// asked of where common.drops.
void count_ends(const Fabric& fabric, Lid lid, std::span<const LidEnd> ends, const Common& common,
                const std::function<bool(const Endport& source)>& dropped, std::size_t failures_max,
                LidTally& tally);

}  // namespace weft
