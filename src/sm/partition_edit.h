// Changes of partitions.conf as text, for a manager that runs: who is a member of a partition, and
// which partitions there are. Comments and lines that are not meant stay as they are. What comes
// out is read again and compared with what was there: nothing but what was asked for differs, or
// the change is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/partition_file.h"

namespace weft {

struct PartitionChange {
  enum class Kind : std::uint8_t { kMembers, kCreate, kDelete };
  struct Wanted {
    Guid port;
    Membership membership = Membership::kFull;
    bool operator==(const Wanted&) const = default;
  };
  Kind kind = Kind::kMembers;
  std::uint16_t base = 0;      // P_Key without membership bit
  std::string name{};          // of kCreate
  bool ipoib = false;          // of kCreate: it gets a broadcast group
  std::vector<Wanted> set{};   // of kMembers and kCreate
  std::vector<Guid> remove{};  // of kMembers
};

/// Whether a keyword of the file, such as ALL_CAS, means a port; nothing where nobody knows, since
/// the fabric does not have it.
using MeansPort = std::function<std::optional<bool>(MemberKind kind, Guid port)>;

struct EditedPartitions {
  std::string text;
  PartitionFile file;
  std::string name;      // of the partition
  bool changed = false;  // false: all was already as it should be
};

/// `text`: what the file holds; nothing where there is no file, and one begins with the rules that
/// counted without it. Fails with
///   kUsage     where there is no such partition or member;
///   kBadInput  where the change is refused: the file says something else than it could with it, or
///              the partition is the default one.
/// Cost: O(text + members asked for * members of the partition).
Result<EditedPartitions> edit_partitions(const std::optional<std::string>& text,
                                         const std::string& path, const PartitionChange& change,
                                         const MeansPort& means);

/// Whether two files say the same, wherever in them it stands.
bool same_rules(const PartitionFile& a, const PartitionFile& b);

/// "full", "limited", "both".
std::string_view word(Membership membership);
/// The other way round; nothing for another word.
std::optional<Membership> membership_of(std::string_view word);

/// Whether a new partition may be called so: letters, digits and "_.-+", 64 at most.
bool is_partition_name(std::string_view name);

}  // namespace weft
