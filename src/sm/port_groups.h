// Port groups (pgrp_policy_file): names for sets of ports, by GUIDs, by names of hosts, by regular
// expressions over node descriptions, and by other groups. Topologies of routing chains are made of
// them, and "group:NAME" stands for a group where a file takes GUIDs. docs/reference/routing-chains.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// "0x283@1/5-7": all ports of a node or the port of a GUID, or those that are listed.
struct GroupGuid {
  Guid guid;
  std::vector<std::pair<std::uint8_t, std::uint8_t>> ports{};  // from, to; empty: all
  bool operator==(const GroupGuid&) const = default;
};

/// "hostname=a; hca_idx=1; port=2": ports of a CA whose description is "a" or "a HCA-1".
struct GroupHost {
  std::string hostname;
  std::optional<unsigned> hca;
  std::optional<unsigned> port;
  bool operator==(const GroupHost&) const = default;
};

struct PortGroup {
  enum class Rule { kGuids, kGuidRange, kHosts, kRegexp, kUnion, kSubtract };
  std::string name;
  std::string use;
  Rule rule = Rule::kGuids;
  std::vector<GroupGuid> guids{};
  std::pair<Guid, Guid> range{};
  std::vector<GroupHost> hosts{};
  std::string regexp{};  // POSIX extended, anywhere in the description
  std::optional<unsigned> regexp_port{};
  std::pair<std::string, std::string> of{};  // groups that are united, or of which the second is
                                             // taken away
  std::string place{};                       // "file:line:column" of the rule
  bool operator==(const PortGroup&) const = default;
};

struct PortGroups {
  std::string path;  // empty: there is no file
  std::vector<PortGroup> groups;
  bool operator==(const PortGroups&) const = default;

  /// Whether there is a group of that name, predefined ones (ALL, ALL_SWITCHES, ALL_CAS) included.
  bool has(std::string_view name) const;
  /// "port group 'x' is not defined in FILE; there are: ..", for the place of who names it.
  std::string missing(std::string_view name) const;
};

/// What stands for a group where a file takes GUIDs.
inline constexpr std::string_view kGroupPrefix = "group:";
/// The NAME of "group:NAME"; nothing where the word is something else.
std::optional<std::string_view> group_named(std::string_view word);

/// Fails with kBadInput, all complaints in the message: an unknown qualifier, no name or no rule or
/// two rules, a name twice or that of a predefined group, a GUID, range or expression of another
/// form, a group that is not defined, groups that are made of each other in a circle.
Result<PortGroups> read_port_groups(const std::string& path);

/// By PortId: the physical ports of a group, and port 0 of a switch if any of its ports is in it.
/// `name` must be one that has() knows. GUIDs that the fabric does not have are no error: nodes
/// come and go.
std::vector<bool> ports_of_group(const PortGroups& groups, std::string_view name,
                                 const Fabric& fabric);

/// The endports of a group, in order of id: CA and router ports, and switches by their port 0.
std::vector<EndportId> endports_of_group(const PortGroups& groups, std::string_view name,
                                         const Fabric& fabric);

}  // namespace weft
