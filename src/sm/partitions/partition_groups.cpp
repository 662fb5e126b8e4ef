// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups of partitions: inheritance of flags, P_Key and scope in the MGID, and checks of
// IP groups.
#include <arpa/inet.h>

#include <cstring>
#include <map>
#include <set>

#include "sm/partitions/partition_file.h"

namespace weft {
namespace {

constexpr std::uint8_t kRateDefault = 3;
constexpr std::uint8_t kMtuDefault = 4;
constexpr std::uint32_t kIpQkey = 0x0B1B;
constexpr unsigned kScopeDefault = 2;
constexpr unsigned kScopes = 16;

std::uint16_t uint16_at(const Gid& gid, std::size_t at) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(gid[at]) << 8 |
                                    std::to_integer<unsigned>(gid[at + 1]));
}

void set_uint16_at(Gid& gid, std::size_t at, std::uint16_t value) {
  gid[at] = static_cast<std::byte>(value >> 8);
  gid[at + 1] = static_cast<std::byte>(value & 0xFF);
}

/// Whether the MGID is that of an IPv4 or IPv6 group: RFC 4391 defines the signature in bytes 2 and
/// 3, and the P_Key after it.
bool is_ip(const Gid& mgid) { return uint16_at(mgid, 2) == 0x401B || uint16_at(mgid, 2) == 0x601B; }

void set_scope(Gid& mgid, unsigned scope) {
  mgid[1] = (mgid[1] & std::byte{0xF0}) | static_cast<std::byte>(scope);
}

Gid broadcast_mgid(Pkey pkey) {
  Gid mgid{};
  set_uint16_at(mgid, 0, 0xFF10 | kScopeDefault);
  set_uint16_at(mgid, 2, 0x401B);
  set_uint16_at(mgid, 4, pkey.value());
  set_uint16_at(mgid, 12, 0xFFFF);
  set_uint16_at(mgid, 14, 0xFFFF);
  return mgid;
}

Pkey full(std::uint16_t base) { return Pkey(static_cast<std::uint16_t>(base | kPkeyFullBit)); }

GroupFlags inherited(const GroupFlags& own, const GroupFlags& from) {
  GroupFlags flags = own;
  const auto take = [](auto& value, const auto& other) {
    if (!value) value = other;
  };
  take(flags.rate, from.rate);
  take(flags.mtu, from.mtu);
  take(flags.sl, from.sl);
  take(flags.tclass, from.tclass);
  take(flags.qkey, from.qkey);
  take(flags.flow_label, from.flow_label);
  if (flags.scopes == 0) flags.scopes = from.scopes;
  return flags;
}

PartitionGroup make_group(const Gid& mgid, const GroupFlags& flags,
                          const FiledPartition& partition) {
  PartitionGroup group;
  group.mgid = mgid;
  group.pkey = full(partition.base);
  group.rate = flags.rate.value_or(kRateDefault);
  group.mtu = flags.mtu.value_or(kMtuDefault);
  group.sl = flags.sl.value_or(0);
  group.tclass = flags.tclass.value_or(0);
  group.qkey = flags.qkey.value_or(is_ip(mgid) ? kIpQkey : 0);
  group.flow_label = flags.flow_label.value_or(0);
  group.partition = partition.name;
  if (is_ip(mgid)) set_uint16_at(group.mgid, 4, group.pkey.value());
  return group;
}

/// For each P_Key, the definition with the flags of its broadcast group: the first with ipoib.
std::map<std::uint16_t, const FiledPartition*> broadcast_definitions(const PartitionFile& file) {
  std::map<std::uint16_t, const FiledPartition*> found;
  for (const FiledPartition& partition : file.partitions)
    if (partition.ipoib) found.emplace(partition.base, &partition);
  return found;
}

Status check_ip_group(const std::string& place, const FiledPartition& partition,
                      const FiledMcastGroup& group, const FiledPartition* broadcast,
                      Warnings& warnings) {
  const Pkey pkey = full(partition.base);
  if (const std::uint16_t named = uint16_at(group.mgid, 4); named != 0 && named != pkey.value())
    return fail(Code::kBadInput,
                "{}: found P_Key 0x{:04x} in the MGID of an IP group, expected 0x{:04x} or 0",
                place, named, pkey.value());
  if (broadcast == nullptr) {
    warnings.add(place +
                 ": an IP group in a partition without ipoib, which has no broadcast "
                 "group to compare with");
    return {};
  }
  const GroupFlags flags = inherited(group.flags, partition.flags);
  const auto equal = [&](const char* what, unsigned is, unsigned want) -> Status {
    if (is == want) return {};
    return fail(Code::kBadInput,
                "{}: found {}={} of an IP group, expected {} as the broadcast group has", place,
                what, is, want);
  };
  if (auto status = equal("rate", flags.rate.value_or(kRateDefault),
                          broadcast->flags.rate.value_or(kRateDefault));
      !status)
    return status;
  return equal("mtu", flags.mtu.value_or(kMtuDefault), broadcast->flags.mtu.value_or(kMtuDefault));
}

}  // namespace

std::optional<Gid> parse_gid(std::string_view text) {
  const std::string copy(text);
  Gid gid{};
  if (copy.find('\0') != std::string::npos || inet_pton(AF_INET6, copy.c_str(), gid.data()) != 1)
    return std::nullopt;
  return gid;
}

Status check_groups(const PartitionFile& file, Warnings& warnings) {
  const auto broadcasts = broadcast_definitions(file);
  for (const FiledPartition& partition : file.partitions) {
    const auto found = broadcasts.find(partition.base);
    for (const FiledMcastGroup& group : partition.groups) {
      if (!is_ip(group.mgid)) continue;
      auto status = check_ip_group(fmt::format("{}:{}", file.path, group.line), partition, group,
                                   found == broadcasts.end() ? nullptr : found->second, warnings);
      if (!status) return status;
    }
  }
  return {};
}

std::vector<PartitionGroup> partition_groups(const PartitionFile& file) {
  std::vector<PartitionGroup> groups;
  std::set<Gid> known;
  const auto add = [&](const Gid& mgid, const GroupFlags& flags, const FiledPartition& partition,
                       bool broadcast) {
    for (unsigned scope = 0; scope < kScopes; ++scope) {
      if (flags.scopes != 0 && (flags.scopes >> scope & 1) == 0) continue;
      PartitionGroup group = make_group(mgid, flags, partition);
      group.broadcast = broadcast;
      if (flags.scopes != 0) set_scope(group.mgid, scope);
      if (known.insert(group.mgid).second) groups.push_back(std::move(group));
      if (flags.scopes == 0) break;  // no scope= in the file: the MGID keeps its scope
    }
  };
  for (const auto& [base, partition] : broadcast_definitions(file))
    add(broadcast_mgid(full(base)), partition->flags, *partition, true);
  for (const FiledPartition& partition : file.partitions)
    for (const FiledMcastGroup& group : partition.groups)
      add(group.mgid, inherited(group.flags, partition.flags), partition, false);
  return groups;
}

}  // namespace weft
