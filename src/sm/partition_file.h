// partitions.conf: which P_Keys exist, who is a member, and which multicast groups come with them.
// The file is read once into names, GUIDs and numbers; partitions.h resolves it for a fabric.
// docs/reference/partitions.md shows the grammar.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/notice.h"
#include "sm/port_groups.h"

namespace weft {

/// P_Keys without their membership bit.
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
  Guid guid;  // of kGuid
  std::uint32_t line = 0;
  std::string group{};  // of kGroup
  bool operator==(const FiledMember&) const = default;
};

/// The mgroup_flags of a partition or of one of its groups; what is absent is inherited.
struct GroupFlags {
  std::optional<std::uint8_t> rate, mtu;  // codes of the specification: 4 is 2048 bytes
  std::optional<std::uint8_t> sl, tclass;
  std::optional<std::uint32_t> qkey, flow_label;
  std::uint16_t scopes = 0;  // a bit for each scope that is asked for; 0: none was named
  bool operator==(const GroupFlags&) const = default;
};

struct FiledMcastGroup {
  Gid mgid{};
  GroupFlags flags;
  std::uint32_t line = 0;
  bool operator==(const FiledMcastGroup&) const = default;
};

/// One definition. Several may have the same P_Key: together they are one partition.
struct FiledPartition {
  std::string name;
  std::uint16_t base = 0;  // P_Key without membership bit, never 0
  bool index0 = false;
  bool ipoib = false;
  GroupFlags flags;
  std::vector<FiledMember> members;  // in the order of the file: the last word about a port counts
  std::vector<FiledMcastGroup> groups;
  std::uint32_t line = 0;
  bool operator==(const FiledPartition&) const = default;
};

struct PartitionFile {
  std::string path;  // empty: there is no file
  std::vector<FiledPartition> partitions;
  PortGroups port_groups{};  // that members name; who reads the file sees to it
  bool operator==(const PartitionFile&) const = default;
};

/// Where things stand in the text, in bytes, for those who change it (partition_edit.h).
struct TextSpan {
  std::size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};
struct MemberPlace {
  TextSpan words;                           // the port, and its membership where that is given
  std::optional<std::size_t> comma_before;  // right before it, comments apart
  std::optional<std::size_t> comma_after;
};
struct DefinitionPlace {
  TextSpan all;                      // up to and with its semicolon
  std::size_t colon = 0;             // of the definition
  bool ended = false;                // there is a semicolon
  bool empty = true;                 // nothing stands between colon and semicolon
  std::vector<MemberPlace> members;  // one for each of the partition's
};
using PartitionPlaces = std::vector<DefinitionPlace>;  // one for each definition of the text

/// What counts where there is no file: all ports are full members of the default partition, and
/// IPoIB has its group there.
PartitionFile partitions_without_file();

/// Before the first definition of the file stand the default partition's rules: ALL=limited,
/// SELF=full. A file that is not there, or cannot be opened, is partitions_without_file() and a
/// warning. Fails with kBadInput "FILE:LINE:COLUMN: found .., want .." on what has no meaning; what
/// has one that may surprise is a warning that begins with FILE:LINE:COLUMN.
Result<PartitionFile> read_partition_file(const std::string& path,
                                          std::vector<std::string>& warnings);
Result<PartitionFile> parse_partitions(std::string_view text, const std::string& path,
                                       std::vector<std::string>& warnings,
                                       PartitionPlaces* places = nullptr);

/// Every port group that a member names must be defined. Fails with kBadInput naming file and line.
Status check_port_groups(const PartitionFile& file);

/// A multicast group as the subnet administration should create it; it has no MLID yet.
struct PartitionGroup {
  Gid mgid{};
  Pkey pkey;  // with the membership bit
  std::uint8_t rate = 3;
  std::uint8_t mtu = 4;
  std::uint8_t sl = 0;
  std::uint8_t tclass = 0;
  std::uint32_t qkey = 0;
  std::uint32_t flow_label = 0;
  bool broadcast = false;  // the broadcast group of IPoIB
  std::string partition;   // its name
  bool operator==(const PartitionGroup&) const = default;
};

/// A GID in the notation of IPv6 addresses.
std::optional<Gid> parse_gid(std::string_view text);
/// What must hold of IP groups: the P_Key in their MGID is the partition's or 0, rate and MTU are
/// those of its broadcast group.
Status check_groups(const PartitionFile& file, std::vector<std::string>& warnings);

/// Every group of the file, broadcast groups first, in the order of P_Keys; of equal MGIDs the
/// first counts. A partition with n scopes has n of each.
std::vector<PartitionGroup> partition_groups(const PartitionFile& file);

}  // namespace weft
