// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Edits the text of partitions.conf while the manager runs: changes members and flags of a
// partition, creates and deletes partitions. Comments and unaffected lines are preserved. The
// result is parsed and compared with the previous rules: a change with any other difference is
// refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/partitions/partition_file.h"

namespace weft {

struct PartitionChange {
  enum class Kind : std::uint8_t { kMembers, kCreate, kDelete, kFlags };
  struct Wanted {
    Guid port;
    Membership membership = Membership::kFull;
    std::optional<bool> index0{};  // of kMembers: indx0 of the definition; none: either
    bool operator==(const Wanted&) const = default;
  };
  /// Flags of the partition and its broadcast group; flags without a value stay unchanged.
  struct Flags {
    std::optional<bool> ipoib{};  // with or without a broadcast group
    std::optional<std::uint8_t> rate{}, mtu{}, sl{};
    bool operator==(const Flags&) const = default;
  };
  Kind kind = Kind::kMembers;
  std::uint16_t base = 0;      // P_Key without membership bit
  std::string name{};          // with kCreate
  bool ipoib = false;          // with kCreate: create a broadcast group
  std::vector<Wanted> set{};   // with kMembers and kCreate: members to be set
  std::vector<Guid> remove{};  // with kMembers: members to be removed
  Flags flags{};               // with kFlags
};

/// The rules that apply without a file.
inline constexpr std::string_view kPartitionsWithoutFile = "Default=0x7fff, ipoib : ALL=full ;\n";

/// Whether a keyword of the file, such as ALL_CAS, includes a port; none if this depends on a port
/// that the fabric does not contain.
using IncludesPort = std::function<std::optional<bool>(MemberKind kind, Guid port)>;

struct EditedPartitions {
  std::string text;
  PartitionFile file;
  std::string name;      // name of the partition
  bool changed = false;  // false: the file already has the requested state
};

/// Returns the changed content of the file. `text`: current content; none if there is no file, so
/// that the new content begins with the default rules. Fails with
///   kUsage     unknown partition or member;
///   kBadInput  invalid file or change, a partition to be created exists, or change refused: it
///              would alter other rules, or delete or create the default partition.
/// Cost: O(text + changed members * members of the partition).
Result<EditedPartitions> edit_partitions(const std::optional<std::string>& text,
                                         const std::string& path, const PartitionChange& change,
                                         const IncludesPort& includes_port);

/// Whether two files have the same definitions, apart from line numbers.
bool same_rules(const PartitionFile& a, const PartitionFile& b);

/// The word for a membership: "full", "limited", "both".
std::string_view word(Membership membership);
/// The inverse of word(); none for an unknown word.
std::optional<Membership> membership_of(std::string_view word);

/// Whether the name is valid for a new partition: letters, digits and "_.-+", 64 at most.
bool is_partition_name(std::string_view name);

}  // namespace weft
