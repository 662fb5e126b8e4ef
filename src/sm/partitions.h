// Partitions on a fabric: which P_Keys each port should hold, and in which entries of its table.
// Endports hold what the file says; a switch port that leads to one holds the same as a filter,
// when partitions are enforced. Order of entries and the meaning of index 0 are OpenSM's, found by
// experiment: docs/reference/partitions.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "ib/tables.h"
#include "sm/observed.h"
#include "sm/partition_file.h"

namespace weft {

class HeldPkeys;
struct SmOptions;

/// What switches check on ports that lead to endports: packets that come in, that go out, both.
enum class PartEnforce : std::uint8_t { kOff, kIn, kOut, kBoth };

struct PortMember {
  std::uint16_t base = 0;
  Membership membership = Membership::kLimited;
  bool operator==(const PortMember&) const = default;
};

/// The partitions of one endport.
struct PortPartitions {
  std::vector<PortMember> members;  // in the order of P_Keys
  std::uint16_t index0 = 0;         // the P_Key that indx0 puts first; 0: none
  bool operator==(const PortPartitions&) const = default;
};

/// By EndportId. Of all rules about a port and a P_Key the last counts. Warns of GUIDs that no
/// endport of the fabric has, and when the manager's own port (`self`) is no full member of the
/// default partition: limited members could not talk to it.
std::vector<PortPartitions> resolve_partitions(const PartitionFile& file, const Fabric& fabric,
                                               EndportId self, std::vector<std::string>& warnings);

/// Whether a member's keyword means a port of the fabric; nothing where only a fabric that has the
/// port could tell.
std::optional<bool> means_port(MemberKind kind, Guid port, const Fabric& fabric, EndportId self);

struct PkeyLayout {
  std::vector<Pkey> table;     // no empty entries at the end
  std::vector<Pkey> left_out;  // no room
};

/// Where the P_Keys of a port go in a table of `capacity` entries.
///   Index 0 is for the P_Key of indx0, else for the default partition's; no other goes there.
///   With `allow_both` the limited default P_Key (0x7fff) only stays there.
///   With `keep_indexes` a P_Key that the port holds keeps its entry, else all are laid out anew.
///   The rest follow the last entry in use, by the low byte of the P_Key, then the high one; then
///   they fill gaps.
/// Without `allow_both`, members with both memberships are full members.
PkeyLayout lay_out_pkeys(const PortPartitions& partitions, std::span<const Pkey> held,
                         std::size_t capacity, bool allow_both, bool keep_indexes);

/// What a switch port should let pass for an endport with this table: no gaps, and where both
/// memberships are held the full one, which matches either.
std::vector<Pkey> filter_table(std::span<const Pkey> table);

/// Entries of the P_Key table of an endport, or of an external port of a switch (0 where it has
/// none).
std::size_t pkey_capacity(const Observed& observed, const Fabric& fabric, PortId port);
constexpr std::size_t pkey_blocks(std::size_t capacity) {
  return (capacity + PkeyTable::kEntries - 1) / PkeyTable::kEntries;
}

/// The endport that an external port of a switch leads to and filters for, or kNoEndport.
EndportId filtered_endport(const Fabric& fabric, PortId port);
/// Partition enforcement in force: part_enforce, unless no_partition_enforcement is set.
PartEnforce part_enforce(const SmOptions& options);
/// The ports whose P_Key tables are the manager's business.
bool has_planned_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                       PortId port);

/// Attribute modifier of a block of a port's table.
std::uint32_t pkey_modifier(const Fabric& fabric, PortId port, std::size_t block);

/// The P_Key tables of a fabric. There are few different ones: each is kept once.
class PkeyPlan {
 public:
  /// False where the table stays as it is.
  bool programs(PortId port) const { return index_of(port) != 0; }
  /// One block of a table that is programmed.
  PkeyTable block(PortId port, std::size_t block) const;
  std::span<const Pkey> table(PortId port) const { return kinds_[index_of(port) - 1]; }
  /// PortInfo's bits; false where they are no endport's neighbor's, or cannot be set.
  bool enforces_inbound(PortId port) const { return (bits_of(port) & kInbound) != 0; }
  bool enforces_outbound(PortId port) const { return (bits_of(port) & kOutbound) != 0; }
  bool is_set() const { return !index_.empty(); }
  /// Ports that have too little room, by name, with what does not fit.
  const std::vector<std::string>& shortages() const { return shortages_; }

 private:
  friend class PkeyPlanner;
  static constexpr std::uint8_t kInbound = 1;
  static constexpr std::uint8_t kOutbound = 2;
  std::uint32_t index_of(PortId port) const {
    return port.value() < index_.size() ? index_[port.value()] : 0;
  }
  std::uint8_t bits_of(PortId port) const {
    return port.value() < bits_.size() ? bits_[port.value()] : std::uint8_t{0};
  }
  std::vector<std::vector<Pkey>> kinds_;
  std::vector<std::uint32_t> index_;  // by PortId, into kinds_ from 1; 0: not programmed
  std::vector<std::uint8_t> bits_;    // by PortId
  std::vector<std::string> shortages_;
};

/// For the partitions of the options, or others. Warns of ports whose tables are too small, by
/// name.
PkeyPlan plan_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                    const HeldPkeys& held, std::vector<std::string>& warnings,
                    const PartitionFile* instead = nullptr);

}  // namespace weft
