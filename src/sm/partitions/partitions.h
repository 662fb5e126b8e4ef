// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Partitions on a fabric: the P_Keys of each port, and their entries in its table. The tables of
// endports contain the P_Keys of the file; with partition enforcement the neighbor switch port has
// the same P_Keys as a filter. The order of entries and the use of index 0 are those of OpenSM,
// determined by experiment: docs/reference/partitions.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "ib/tables.h"
#include "sm/lids/alias_guids.h"
#include "sm/observed.h"
#include "sm/partitions/partition_file.h"

namespace weft {

class HeldPkeys;
struct SmOptions;

/// Partition enforcement on switch ports cabled to endports: of inbound packets, of outbound
/// packets, or of both.
enum class PartEnforce : std::uint8_t { kOff, kIn, kOut, kBoth };

struct PortMember {
  std::uint16_t base = 0;
  Membership membership = Membership::kLimited;
  bool operator==(const PortMember&) const = default;
};

/// The partitions of one endport.
struct PortPartitions {
  std::vector<PortMember> members;  // in the order of P_Keys
  std::uint16_t index0 = 0;         // P_Key for index 0 (indx0); 0: none
  bool operator==(const PortPartitions&) const = default;
};

/// The partitions by EndportId, followed by those of each virtual port of `vports` (in order of
/// GUIDs), which counts as a port of a CA here. If several rules apply to a port and a P_Key, the
/// last rule is used. A member that is an alias GUID (`aliases`) adds the P_Key to its port, but
/// never at index 0, which belongs to the port's own GUID. If a port has several memberships by
/// aliases and its own GUID, the first of both, full and limited applies. Warns of the first GUIDs
/// of each definition that no port has, and of the number of the others. Also warns if the
/// manager's own port (`self`) is not a full member of the default partition: limited members could
/// not reach it.
std::vector<PortPartitions> resolve_partitions(const PartitionFile& file, const Fabric& fabric,
                                               EndportId self, std::vector<std::string>& warnings,
                                               const AliasGuids& aliases = {},
                                               std::span<const Guid> vports = {});

/// Whether a member keyword includes a port of the fabric, or a virtual port; none if it depends on
/// a port that the fabric does not contain.
std::optional<bool> includes_port(MemberKind kind, Guid port, const Fabric& fabric, EndportId self,
                                  const Vports& vports = {});

struct PkeyLayout {
  std::vector<Pkey> table;     // without trailing empty entries
  std::vector<Pkey> left_out;  // P_Keys beyond the capacity
};

/// Assigns the P_Keys of a port to entries of a table of `capacity` entries.
///   Index 0 has the P_Key of indx0, otherwise the P_Key of the default partition, otherwise none.
///   With `allow_both` the limited default P_Key (0x7fff) is at index 0 only if it is kept there.
///   With `keep_indexes` a P_Key that the port holds keeps its entry, except at index 0, where only
///   the P_Key of the default partition is kept; otherwise all entries are assigned again.
///   The remaining P_Keys follow the last entry in use, sorted by low byte, then by high byte.
///   P_Keys that do not fit there get the unused entries before, except index 0.
/// Without `allow_both`, members with both memberships are full members.
PkeyLayout lay_out_pkeys(const PortPartitions& partitions, std::span<const Pkey> held,
                         std::size_t capacity, bool allow_both, bool keep_indexes);

/// Filter table of a switch port for an endport with this table. The filter has no empty entries.
/// If the table has both memberships of a P_Key, the filter has only full membership, which matches
/// both.
std::vector<Pkey> filter_table(std::span<const Pkey> table);

/// Capacity of the P_Key table of an endport, or of an external port of a switch (0 without a
/// table).
std::size_t pkey_capacity(const Observed& observed, const Fabric& fabric, PortId port);
constexpr std::size_t pkey_blocks(std::size_t capacity) {
  return (capacity + PkeyTable::kEntries - 1) / PkeyTable::kEntries;
}

/// The endport cabled to an external switch port, which filters the packets of this endport;
/// kNoEndport if there is none.
EndportId filtered_endport(const Fabric& fabric, PortId port);
/// Effective partition enforcement: part_enforce, unless no_partition_enforcement is set.
PartEnforce part_enforce(const SmOptions& options);
/// True if the manager programs the P_Key table of the port, unless the table of a switch port is
/// too small.
bool has_planned_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                       PortId port);

/// Attribute modifier of a block of the port's P_Key table.
std::uint32_t pkey_modifier(const Fabric& fabric, PortId port, std::size_t block);

/// The P_Key tables of a fabric. Many ports have equal tables: each distinct table is stored once.
class PkeyPlan {
 public:
  /// False if the table of the port is not programmed.
  bool programs(PortId port) const { return index_of(port) != 0; }
  /// One block of a programmed table.
  PkeyTable block(PortId port, std::size_t block) const;
  std::span<const Pkey> table(PortId port) const { return kinds_[index_of(port) - 1]; }
  /// Enforcement bits of PortInfo; false for ports not cabled to an endport, without support, or
  /// with too small a filter.
  bool enforces_inbound(PortId port) const { return (bits_of(port) & kInbound) != 0; }
  bool enforces_outbound(PortId port) const { return (bits_of(port) & kOutbound) != 0; }
  bool is_set() const { return !index_.empty(); }

  // Virtual ports. The table of their CA port contains the P_Keys of all its virtual ports.
  /// The P_Keys of a virtual port by its GUID; empty if the virtual port has no table.
  std::span<const Pkey> vport_table(Guid vport) const {
    const auto found = vports_.find(vport);
    return found == vports_.end() ? std::span<const Pkey>() : kinds_[found->second - 1];
  }
  /// The P_Keys of the physical function, if the CA port has virtual ports; otherwise all P_Keys of
  /// the port.
  std::span<const Pkey> own_table(PortId port) const {
    const auto found = own_.find(port);
    return found == own_.end() ? table(port) : kinds_[found->second - 1];
  }
  bool has_vports() const { return !vports_.empty() || !own_.empty(); }
  /// Messages about ports and virtual ports with too small a table or filter.
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
  std::vector<std::vector<Pkey>> kinds_;  // the distinct tables
  std::vector<std::uint32_t> index_;      // by PortId, into kinds_ from 1; 0: not programmed
  std::vector<std::uint8_t> bits_;        // by PortId
  std::vector<std::string> shortages_;
  std::map<Guid, std::uint32_t> vports_;  // by GUID, into kinds_ from 1
  std::map<PortId, std::uint32_t> own_;
};

/// Plans the tables for the partitions in `instead`, or by default those of the options. Warns of
/// ports with too small a table.
PkeyPlan plan_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                    const HeldPkeys& held, const AliasGuids& aliases,
                    std::vector<std::string>& warnings, const PartitionFile* instead = nullptr);

}  // namespace weft
