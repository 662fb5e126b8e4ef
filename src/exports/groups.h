// Hosts by how near they are to each other, as schedulers want it: units of hosts that share their
// leaf switches, groups of units that reach each other below the next level of switches, up to one
// group for each part of the fabric. It follows from cables, never from names.
//
// - A host with several adapters on several leaves ("rails") is on all of them; hosts on the same
//   leaves are one unit. A host that misses a rail belongs to the unit that has most of its leaves.
// - On a tree a group is what the switches up to a level connect: a pod. Where switches form groups
//   (dragonfly), these are the groups. Elsewhere (torus, irregular cabling) there is only the group
//   of all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exports/names.h"
#include "fabric/fabric.h"

namespace weft {

inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

struct HostUnit {
  std::string name;                // of its switch, or "FIRST-to-LAST" of several
  std::vector<SwitchId> leaves;    // by name
  std::vector<std::string> hosts;  // in natural order
  std::uint32_t parent = kNoGroup;
};

struct HostGroup {
  std::string name;                   // of the switch on top, if there is one alone
  std::uint32_t level = 0;            // 1 for the lowest
  std::vector<std::uint32_t> units;   // directly in it
  std::vector<std::uint32_t> groups;  // directly in it
  std::vector<SwitchId> tops;         // the switches that connect it
  std::uint32_t parent = kNoGroup;
};

struct HostGroups {
  std::string shape;              // "tree of 3 levels", "groups", "irregular"
  std::vector<HostUnit> units;    // in natural order of names
  std::vector<HostGroup> groups;  // those inside before those around them
};

/// `switch_names` is by SwitchId.
HostGroups group_hosts(const Fabric& fabric, const std::vector<Host>& hosts,
                       const std::vector<std::string>& switch_names);

}  // namespace weft
