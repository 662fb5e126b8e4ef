// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// partitions.conf: P_Keys, their members, and their multicast groups. The file is parsed once into
// names, GUIDs and numbers; partitions.h resolves them on a fabric. The grammar is in
// docs/reference/partitions.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/warnings.h"
#include "base/result.h"
#include "ib/ids.h"
#include "ib/notice.h"
#include "policy/port_groups.h"

namespace weft {

/// Bits of a P_Key without the membership bit.
inline constexpr std::uint16_t kPkeyBaseMask = 0x7FFF;
inline constexpr std::uint16_t kPkeyFullBit = 0x8000;
inline constexpr std::uint16_t kDefaultPkeyBase = 0x7FFF;

enum class Membership : std::uint8_t { kLimited, kFull, kBoth };

enum class MemberKind : std::uint8_t {
  kGuid,
  kAll,
  kAllCas,
  kAllSwitches,
  kAllRouters,
  kSelf,
  kGroup,  // a port group of pgrp_policy_file: "group:NAME"
};

struct FiledMember {
  MemberKind kind = MemberKind::kGuid;
  Membership membership = Membership::kLimited;
  Guid guid;  // with kGuid: the port GUID
  std::uint32_t line = 0;
  std::string group{};  // with kGroup: the name of the group
  bool operator==(const FiledMember&) const = default;
};

/// The mgroup_flags of a partition or of one of its groups; absent values are inherited.
struct GroupFlags {
  std::optional<std::uint8_t> rate, mtu;  // codes of the specification: 4 is 2048 bytes
  std::optional<std::uint8_t> sl, tclass;
  std::optional<std::uint32_t> qkey, flow_label;
  std::uint16_t scopes = 0;  // one bit per scope; 0: not specified
  bool operator==(const GroupFlags&) const = default;
};

struct FiledMcastGroup {
  Gid mgid{};
  GroupFlags flags;
  std::uint32_t line = 0;
  bool operator==(const FiledMcastGroup&) const = default;
};

/// One definition. Several definitions may have the same P_Key: together they define one partition.
struct FiledPartition {
  std::string name;
  std::uint16_t base = 0;  // P_Key without membership bit, never 0
  bool index0 = false;
  bool ipoib = false;
  GroupFlags flags;
  std::vector<FiledMember> members;  // in file order: the last entry for a port applies
  std::vector<FiledMcastGroup> groups;
  std::uint32_t line = 0;
  bool operator==(const FiledPartition&) const = default;
};

struct PartitionFile {
  std::string path;  // empty: there is no file
  std::vector<FiledPartition> partitions;
  PortGroups port_groups{};  // port groups that members name; set by the reader of the file
  bool operator==(const PartitionFile&) const = default;
};

/// Positions in bytes in the text, used by partition_edit.h.
struct TextSpan {
  std::size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};
struct MemberPlace {
  TextSpan words;                           // the port, and its membership if given
  std::optional<std::size_t> comma_before;  // directly before the member, except for comments
  std::optional<std::size_t> comma_after;
};
struct FlagPlace {
  std::string name;
  TextSpan words;  // the flag and the comma before it
};
struct DefinitionPlace {
  TextSpan all;                      // to the semicolon, which is included
  std::vector<FlagPlace> flags;      // flags of the definition
  std::size_t head_end = 0;          // after the last word before the colon
  std::size_t colon = 0;             // colon of the definition
  bool ended = false;                // there is a semicolon
  bool empty = true;                 // nothing between colon and semicolon
  std::vector<MemberPlace> members;  // one for each member of the definition
};
using PartitionPlaces = std::vector<DefinitionPlace>;  // one for each definition of the text

/// The rules that apply without a file: all ports are full members of the default partition, which
/// has an IPoIB group.
PartitionFile partitions_without_file();

/// Reads the file. The rules of the default partition, ALL=limited and SELF=full, precede the
/// definitions of the file. If the file is missing or cannot be opened, returns
/// partitions_without_file() and a warning. Fails with kBadInput "FILE:LINE:COLUMN: found ..,
/// expected .." on invalid input, "FILE:LINE: found .., expected .." on an invalid IP group, and
/// naming the file if it is too large or damaged. Valid input with an unexpected effect causes a
/// warning that begins with FILE:LINE:COLUMN, or with FILE:LINE for IP groups.
Result<PartitionFile> read_partition_file(const std::string& path,
                                          std::vector<std::string>& warnings);
/// Parses the content of a file, as read_partition_file(). `places`: receives the positions in
/// `text`; may be null.
Result<PartitionFile> parse_partitions(std::string_view text, const std::string& path,
                                       std::vector<std::string>& warnings,
                                       PartitionPlaces* places = nullptr);

/// Checks that every port group named by a member is defined. Fails with kBadInput naming file and
/// line.
Status check_port_groups(const PartitionFile& file);

/// A multicast group that the SA creates; its MLID is assigned later.
struct PartitionGroup {
  Gid mgid{};
  Pkey pkey;  // includes the membership bit
  std::uint8_t rate = 3;
  std::uint8_t mtu = 4;
  std::uint8_t sl = 0;
  std::uint8_t tclass = 0;
  std::uint32_t qkey = 0;
  std::uint32_t flow_label = 0;
  bool broadcast = false;  // the broadcast group of IPoIB
  std::string partition;   // name of the partition
  bool operator==(const PartitionGroup&) const = default;
};

/// Parses a GID in the notation of IPv6 addresses; none if invalid.
std::optional<Gid> parse_gid(std::string_view text);
/// Checks IP groups: the P_Key in the MGID must be that of the partition or 0; rate and MTU must be
/// those of the broadcast group of the partition. Warns of IP groups in a partition without a
/// broadcast group. Fails with kBadInput naming file and line.
Status check_groups(const PartitionFile& file, Warnings& warnings);

/// All groups of the file: first the broadcast groups in the order of P_Keys, then the other groups
/// in the order of the file; of groups with equal MGIDs the first is returned. A group with n
/// scopes is returned n times, with one scope each.
std::vector<PartitionGroup> partition_groups(const PartitionFile& file);

}  // namespace weft
