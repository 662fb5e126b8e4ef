// What switches and hosts are called in the files of other programs: names of a node-name-map, else
// what node descriptions hold, else GUIDs. Several adapters of one host are one host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

using NamesByGuid = std::map<Guid, std::string>;

/// By SwitchId, no two equal. Of "MF0;LEAF-01:MQM8700/U1" the name is LEAF-01 (of one ASIC of
/// several LEAF-01-U2); else the description's first word. Where two switches would have the same
/// name, both have S-GUID, as ibnetdiscover has it.
std::vector<std::string> switch_names(const Fabric& fabric, const NamesByGuid& names);

struct Host {
  std::string name;
  bool named = true;             // false: nobody named it, and it is H-GUID
  std::vector<NodeId> adapters;  // ascending
  std::vector<SwitchId> leaves;  // that they are cabled to, ascending, each once
};

/// Every CA that is cabled to a switch, by host and in natural order of names. A host's name is the
/// first word of its adapter's description; adapters with a name from the factory ("MT4129
/// ConnectX7 Mellanox Technologies", "localhost HCA-1") are hosts by themselves. Aggregation nodes
/// and routers are no hosts.
std::vector<Host> hosts_of(const Fabric& fabric, const NamesByGuid& names);

/// A line a node, as ibnetdiscover's --node-name-map reads it: switches, then adapters.
std::string node_name_map(const Fabric& fabric, const NamesByGuid& names);

}  // namespace weft
