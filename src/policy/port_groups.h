// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Port groups (pgrp_policy_file): named sets of ports, defined by GUIDs, host names, regular
// expressions over node descriptions, or other groups. Topologies of routing chains consist of port
// groups, and "group:NAME" replaces a GUID in other files. Format:
// docs/reference/routing-chains.md.
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

/// "0x283@1/5-7": the listed ports of a node GUID; without a list all ports of the node. A port
/// GUID of a switch stands for the switch, a port GUID of a CA or router for this port only.
struct GroupGuid {
  Guid guid;
  std::vector<std::pair<std::uint8_t, std::uint8_t>> ports{};  // from, to; empty: all
  bool operator==(const GroupGuid&) const = default;
};

/// "hostname=a; hca_idx=1; port=2": ports of the CAs with a description of which the first word is
/// "a", and another word is "HCA-1". Without hca_idx, the first word or the whole description
/// suffices; without port, all ports.
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
  std::string regexp{};  // POSIX extended, matched anywhere in the node description
  std::optional<unsigned> regexp_port{};
  std::pair<std::string, std::string> of{};  // operands of the union or the difference
  std::string place{};                       // "file:line:column" of the rule
  bool operator==(const PortGroup&) const = default;
};

struct PortGroups {
  std::string path;  // empty: there is no file
  std::vector<PortGroup> groups;
  bool operator==(const PortGroups&) const = default;

  /// Whether a group with this name exists, including the predefined groups ALL, ALL_SWITCHES and
  /// ALL_CAS.
  bool has(std::string_view name) const;
  /// Returns the text "port group 'x' is not defined in FILE; expected one of: ..", or that there
  /// is no file.
  std::string missing_text(std::string_view name) const;
};

/// Prefix of a group name in place of a GUID.
inline constexpr std::string_view kGroupPrefix = "group:";
/// The NAME of "group:NAME"; nullopt for other words.
std::optional<std::string_view> group_named(std::string_view word);

/// Reads the groups. Fails with kEnvironment if the file cannot be read; with kBadInput, with all
/// errors in the message: an unknown qualifier, no name, no rule or two rules, an invalid,
/// duplicate or predefined name, a malformed GUID, range, host or expression; if there are none of
/// these, an undefined group, cyclic definitions.
Result<PortGroups> read_port_groups(const std::string& path);

/// Returns, by PortId, whether the port belongs to the group. Port 0 of a switch belongs to the
/// group if at least one port of the switch does. has(name) must be true. GUIDs that are not in the
/// fabric are no error.
std::vector<bool> ports_of_group(const PortGroups& groups, std::string_view name,
                                 const Fabric& fabric);

/// The endports of a group, in order of ID: CA and router ports, and port 0 of switches.
std::vector<EndportId> endports_of_group(const PortGroups& groups, std::string_view name,
                                         const Fabric& fabric);

}  // namespace weft
