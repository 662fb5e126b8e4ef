// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names of switches and hosts in files for other programs: from a node-name-map, else from node
// descriptions, else from GUIDs. Characters other than letters, digits, '-', '_' and '.' become
// '_'. Adapters with the same host name belong to one host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

using NamesByGuid = std::map<Guid, std::string>;

/// Unique names by SwitchId; entries of `names` have precedence. For "MF0;LEAF-01:MQM8700/U1" the
/// name is LEAF-01, with /U2 (the second ASIC of a system) LEAF-01-U2. For other descriptions the
/// name is the first word. Switches without a name, or that would have the same name, are named
/// S-GUID, as in ibnetdiscover.
std::vector<std::string> switch_names(const Fabric& fabric, const NamesByGuid& names);

struct Host {
  std::string name;
  bool named = true;             // false: the host has no name and is called H-GUID
  std::vector<NodeId> adapters;  // ascending
  std::vector<SwitchId> leaves;  // leaf switches of its adapters, ascending, without duplicates
};

/// The hosts in natural order of their names, with every CA that is cabled to a switch. A host's
/// name is the first word of its adapter's description. Adapters with a factory description
/// ("MT4129 ConnectX7 Mellanox Technologies", "localhost HCA-1") are separate hosts. Aggregation
/// nodes and routers are not hosts.
std::vector<Host> hosts_of(const Fabric& fabric, const NamesByGuid& names);

/// One line per node in the format of ibnetdiscover's --node-name-map: switches, then CAs and
/// routers. CAs and routers keep their descriptions if `names` does not have them.
std::string node_name_map(const Fabric& fabric, const NamesByGuid& names);

}  // namespace weft
