// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Groups hosts by topology for schedulers. A unit has the hosts that share their leaf switches; a
// group has the units that the switches up to a level connect. The outermost groups are the
// connected parts of the fabric. Units and groups are derived from cables, not from names.
//
// - A host with several adapters on several leaves ("rails") belongs to all these leaves; hosts on
// the same leaves form one unit. A host that lacks one of the rails joins the unit that has at
// least half of the host's leaves.
// - On a tree, a group is a pod. On a dragonfly that is one connected part, the groups are those of
// its switches. Otherwise (torus, irregular cabling) each connected part is one group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exports/names.h"
#include "fabric/fabric.h"

namespace weft {

inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

struct HostUnit {
  std::string name;                // name of its switch, or "FIRST-to-LAST" of several
  std::vector<SwitchId> leaves;    // sorted by name
  std::vector<std::string> hosts;  // in natural order
  std::uint32_t parent = kNoGroup;
};

struct HostGroup {
  std::string name;         // name of the top switch if there is only one, else "pod-1", "top"
  std::uint32_t level = 0;  // lowest level: 1
  std::vector<std::uint32_t> units;   // units directly in the group
  std::vector<std::uint32_t> groups;  // groups directly in the group
  std::vector<SwitchId> tops;         // switches that connect its units and groups
  std::uint32_t parent = kNoGroup;
};

struct HostGroups {
  std::string shape;              // "tree of 3 levels", "groups", "one switch", "irregular"
  std::vector<HostUnit> units;    // in natural order of names
  std::vector<HostGroup> groups;  // inner groups before outer ones
};

/// `switch_names` is by SwitchId.
HostGroups group_hosts(const Fabric& fabric, const std::vector<Host>& hosts,
                       const std::vector<std::string>& switch_names);

}  // namespace weft
