// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results of verifying LIDs, for all functions that follow packets.
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

inline constexpr std::uint8_t kDropVl = 15;  // an SL2VL map drops packets with this VL

/// Data that is the same for all LIDs.
struct Common {
  unsigned vls = 1;                          // the routes use VLs 0..vls-1; VL 15 drops packets
  std::uint64_t cas = 0;                     // number of CA ports with a cable
  std::vector<std::uint32_t> cas_at;         // number of CA ports by switch
  bool drops = false;                        // some SL2VL map assigns VL 15 to an SL in use
  unsigned least_vls = kDropVl;              // least_link_vls()
  bool scarce = false;                       // some link has fewer VLs than the maps use
  std::vector<std::uint32_t> part;           // by switch: number of its connected part
  std::vector<std::uint64_t> part_cas;       // by part: number of CA ports at switches
  std::vector<std::uint32_t> part_switches;  // by part: number of switches
  /// By EndportId of a CA port: the number of CA ports in other parts that belong to hosts with a
  /// port in its own part. Pairs with these ports are not failures and are not counted (planes.h).
  /// Empty if there are none.
  std::vector<std::uint64_t> other_planes;
  bool acyclic_on_one_lane = false;  // proved: unicast packets form no cycle, whatever their VLs
};

/// Results of one task.
struct LidTally {
  ReachCount ca_to_ca, switch_to_ca, ca_to_switch, switch_to_switch;
  std::uint64_t loops = 0;                   // (switch, LID) pairs with packets that loop
  std::vector<WalkFailure> failures;         // the first failures
  std::map<SwitchId, std::uint64_t> broken;  // BrokenSwitch::walks by switch
  std::map<PortId, std::uint16_t> beyond;    // by port: VLs in use that its link lacks
};

/// The highest VL plus 1 that SL2VL maps assign to the first `sls` SLs, without VL 15; at least 1.
unsigned vl_count_of_maps(const Routes& routes, std::size_t sls);

/// The smallest number of data VLs of any link; 15 without links.
unsigned least_link_vls(const Fabric& fabric);
/// Number of data VLs that both ends of the link of a cabled port support.
unsigned link_vls(const Fabric& fabric, PortId port);

/// Records the VLs in use (bit mask) that the link of a cabled port lacks.
void note_lanes(const Fabric& fabric, PortId port, unsigned lanes, LidTally& tally);
/// Records one VL, for a port number of a switch; ignores port 0 and ports without a cable.
void note_lane(const Fabric& fabric, SwitchId sw, PortNum out, std::uint8_t vl, LidTally& tally);

/// Graphs without edges, with the VLs of `common`.
Dependencies no_dependencies(const Fabric& fabric, const Routes& routes, const Common& common);

/// The end of packets for a LID that start at a switch.
struct LidEnd {
  bool known = false;
  WalkEnd end{};
  SwitchId where;  // switch at which the packets end
};

/// Records the VLs on which a CA port injects packets with these SLs. Only for maps that are the
/// same everywhere: maps by port do not apply to CAs, which map VLs to their operational VLs.
void note_injected(const Fabric& fabric, const Routes& routes, const Endport& source,
                   PathSls::Mask sls, LidTally& tally);

/// Whether it is a failure if packets from a switch to the owner of a LID do not arrive. If the
/// owner is a CA, it is a failure if cables connect both. It is also a failure if the switch has
/// CAs, unless each host that is not connected with the CA is connected with another port of the
/// CA's host. If the owner is a switch, it is a failure if the sending switch has CAs and cables
/// connect both.
bool is_failure(const Fabric& fabric, const Common& common, SwitchId from, const Endport& owner);

/// Counts the sources that reach the LID, and the pairs that fail. `ends` is by switch. Sources at
/// one switch have the same end, except sources of packets that an SL2VL map drops:
/// `where_dropped` returns the switch that drops the packets, or kNoSwitch, and is evaluated if
/// common.drops.
void count_ends(const Fabric& fabric, Lid lid, std::span<const LidEnd> ends, const Common& common,
                const std::function<SwitchId(const Endport& source)>& where_dropped,
                std::size_t failures_max, LidTally& tally);

/// As count_ends(), for a LID that all sources with a connection by cables reach, except port 0 of
/// some switches without CAs.
void count_all_arrived(const Fabric& fabric, Lid lid, const Common& common,
                       std::uint64_t switches_missing, LidTally& tally);

}  // namespace weft
