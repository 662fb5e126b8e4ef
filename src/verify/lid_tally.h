// What verifying one LID after another yields, whichever way packets for it are followed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "verify/dependencies.h"
#include "verify/path_sls.h"
#include "verify/verify.h"

namespace weft {

inline constexpr std::uint8_t kDropVl = 15;

/// What is the same for every LID.
struct Common {
  unsigned vls = 1;
  std::uint64_t cas = 0;                     // CA ports
  bool drops = false;                        // some SL2VL map sends an SL to VL 15
  bool scarce = false;                       // some link has fewer lanes than the maps name
  std::vector<std::uint32_t> part;           // by switch: equal where cables join two switches
  std::vector<std::uint64_t> part_cas;       // by part: CA ports
  std::vector<std::uint32_t> part_switches;  // by part
};

/// What one task found about its LIDs.
struct LidTally {
  ReachCount ca_to_ca, switch_to_ca, ca_to_switch, switch_to_switch;
  std::uint64_t loops = 0;
  std::vector<WalkFailure> failures;
  std::map<SwitchId, std::uint64_t> broken;
  std::map<PortId, std::uint16_t> beyond;  // lanes that packets use and the port's link lacks
};

/// How many VLs SL2VL maps name for the first `sls` SLs, VL 15 left out; at least 1.
unsigned lanes_named(const Routes& routes, std::size_t sls);

/// Blocks of kLftBlock LIDs, from LID 0 to the highest.
std::size_t lid_blocks(const Fabric& fabric);

/// The fewest data VLs that a link has; 15 without links.
unsigned least_link_vls(const Fabric& fabric);
/// Data VLs that both ends of a cabled port have.
unsigned link_vls(const Fabric& fabric, PortId port);

/// Adds the lanes, a bit for each, that packets use on a cabled port, as far as its link lacks
/// them.
void note_lanes(const Fabric& fabric, PortId port, unsigned lanes, LidTally& tally);
/// The same by port number of a switch; ports without a cable and port 0 have no lanes to lack.
void note_lane(const Fabric& fabric, SwitchId sw, PortNum out, std::uint8_t vl, LidTally& tally);

/// Which channels wait for which, by packets of which endports.
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

/// The lanes, a bit for each, that the common SL2VL map gives to SLs; VL 15 left out.
std::uint16_t lanes_of(const Routes& routes, PathSls::Mask sls);
/// The same for what a CA port injects on SLs. Only where the map is the same everywhere: maps by
/// port say nothing of end nodes, whose own fold VLs onto those that they operate.
void note_injected(const Fabric& fabric, const Routes& routes, const Endport& source,
                   PathSls::Mask sls, LidTally& tally);

/// Adds the sources that reach the LID, and those that do not. `ends` is by switch. Sources at the
/// same switch share their fate, but for those whose packets an SL2VL map drops on the way: it is
/// asked of where common.drops.
void count_ends(const Fabric& fabric, Lid lid, std::span<const LidEnd> ends, const Common& common,
                const std::function<bool(const Endport& source)>& dropped, std::size_t failures_max,
                LidTally& tally);

}  // namespace weft
