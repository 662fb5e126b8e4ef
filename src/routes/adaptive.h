// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing as plain values: the groups of ports of each switch, and an entry for each LID.
// An entry states whether the switch selects from the ports of a group by load, or uses its
// forwarding table only. The port in the forwarding table is the default port of the entry, and
// always one of the ports that can be selected.
//
// Switches with private forwarding tables (pLFTs) may have further tables of entries, selected by
// the input port and the SL of a packet. All tables have the default ports of the forwarding table,
// so a switch without its private tables forwards packets along paths of the same routes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "routes/group_numbers.h"
#include "routes/lfts.h"
#include "routes/multicast.h"
#include "routes/notifications.h"
#include "routes/table_selection.h"

namespace weft {

/// State of a LID's entry, with the values on the wire.
enum class ArState : std::uint8_t {
  kBounded = 0,  // all packets of a burst use one port; after a pause another port may be selected
  kFree = 1,     // a port is selected for each packet
  kStatic = 2,   // the port of the forwarding table is used
  kHash = 3      // a hash of the packet selects the port; only other subnet managers write it
};

std::string_view name(ArState state);
std::optional<ArState> find_ar_state(std::string_view name);

struct ArEntry {
  ArState state = ArState::kStatic;
  std::uint16_t group = 0;  // unused if the entry is static
  bool operator==(const ArEntry&) const = default;
};

/// Largest number of groups of a switch. Group numbers have 12 bits.
inline constexpr std::size_t kArGroupsMax = 4095;

/// Largest number of private tables. A switch with the value 0 for the number of pLFTs in
/// PrivateLFTInfo has 36 tables, table 0 included.
inline constexpr unsigned kPrivateTablesMax = 35;

/// The division of a group into two sub-groups with weights, by which a switch with weighted
/// hash-based forwarding divides the traffic of the group. The second sub-group is a part of the
/// ports of the group; the other ports are the first sub-group. If the second sub-group is empty,
/// the group is not divided.
struct GroupDivision {
  PortMask second{};
  std::uint8_t first_weight = 1;
  std::uint8_t second_weight = 0;
  bool operator==(const GroupDivision&) const = default;
};

class ArTables {
 public:
  ArTables() = default;
  /// Creates tables with static entries. Rows are from LID 0 to `top` and use memory only after an
  /// entry has been set: 2 bytes for each block of kLftBlock LIDs, and 2 bytes for each LID of a
  /// block with different entries.
  ArTables(std::uint32_t switch_count, Lid top)
      : top_(top), groups_(switch_count), rows_(switch_count) {}

  std::uint32_t switch_count() const { return static_cast<std::uint32_t>(rows_.size()); }
  Lid top() const { return top_; }

  std::span<const PortMask> groups(SwitchId sw) const { return groups_[sw.value()]; }
  /// Adds a group and returns its number; there must be fewer than kArGroupsMax groups.
  std::uint16_t add_group(SwitchId sw, const PortMask& ports);

  /// Whether the switch may have an entry that is not static.
  bool is_set(SwitchId sw) const { return !rows_[sw.value()].blocks.empty(); }
  ArEntry entry(SwitchId sw, Lid lid) const {
    const Row& row = rows_[sw.value()];
    return row.blocks.empty() || lid > top_ ? ArEntry{} : unpack(row.word(lid));
  }
  /// The entry of all LIDs of a block; nullopt if the LIDs have different entries.
  std::optional<ArEntry> block_entry(SwitchId sw, std::size_t block) const;
  /// Sets the entry of a LID. The group must exist unless the entry is static.
  void set(SwitchId sw, Lid lid, ArEntry entry);
  /// Sets the entries of all LIDs of a block.
  void set_block(SwitchId sw, std::size_t block, ArEntry entry);
  /// Makes all entries of a switch static; removes its groups, divisions, notifications and private
  /// tables.
  void clear(SwitchId sw);

  /// The divisions of the groups of a switch, by group number; empty: no group is divided.
  std::span<const GroupDivision> divisions(SwitchId sw) const {
    return divisions_.empty() ? std::span<const GroupDivision>() : divisions_[sw.value()];
  }
  /// Sets the divisions of all groups of a switch. Both sub-groups of a divided group have ports.
  void divide(SwitchId sw, std::vector<GroupDivision> divisions);

  /// The configuration of routing notifications of a switch; null: none.
  const SwitchNotifications* notifications(SwitchId sw) const {
    return notifications_.empty() || notifications_[sw.value()].empty()
               ? nullptr
               : &notifications_[sw.value()];
  }
  bool has_notifications() const { return !notifications_.empty(); }
  /// Sets the notifications of all switches, by SwitchId; directions are indexed by the numbers of
  /// the current groups.
  void set_notifications(std::vector<SwitchNotifications> notifications) {
    notifications_ = std::move(notifications);
  }

  /// The subnet-wide numbers of groups, for switches with notifications; empty: the groups of each
  /// switch are numbered independently.
  const GroupNumbers& numbers() const { return numbers_; }
  void set_numbers(GroupNumbers numbers) { numbers_ = std::move(numbers); }

  /// Number of tables of entries, this table (table 0) included; more than 1 with private tables.
  unsigned table_count() const { return 1 + static_cast<unsigned>(private_.size()); }
  bool has_private_tables() const { return !private_.empty(); }
  /// A table by number: table 0 is this object. Each table has groups of its own.
  const ArTables& table(unsigned number) const {
    return number == 0 ? *this : private_[number - 1];
  }
  ArTables& private_table(unsigned number) { return private_[number - 1]; }
  /// Adds a private table with static entries, and returns its number.
  unsigned add_private_table();
  /// The table for packets with an SL that enter a switch by a port, port 0 included.
  const ArTables& table_for(SwitchId sw, PortNum in, Sl sl) const {
    return private_.empty() ? *this : table(selection_.table(sw, in, sl));
  }
  /// The selection of tables; meaningful only with private tables.
  const TableSelection& selection() const { return selection_; }
  void select_table(SwitchId sw, PortNum in, Sl sl, unsigned number);
  /// Removes the private tables of a switch.
  void clear_private_tables(SwitchId sw);

  /// The ports from which a switch selects for a LID; null if the entry is static.
  const PortMask* group_of(SwitchId sw, Lid lid) const {
    const ArEntry found = entry(sw, lid);
    return found.state == ArState::kStatic ? nullptr : &groups_[sw.value()][found.group];
  }

  /// Whether the highest LID, groups, divisions, entries, notifications, numbers, private tables
  /// and their selection are equal. A row of static entries equals a row without memory.
  bool operator==(const ArTables& other) const;

 private:
  static std::uint16_t pack(ArEntry entry) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(entry.state) << 14 | entry.group);
  }
  static ArEntry unpack(std::uint16_t word) {
    return {static_cast<ArState>(word >> 14), static_cast<std::uint16_t>(word & 0xFFF)};
  }

  /// The entries of a switch. A block has one packed entry for all its LIDs, or the index of a list
  /// of kLftBlock packed entries.
  struct Row {
    static constexpr std::uint16_t kListed = 1u << 13;  // unused in a packed entry

    std::vector<std::uint16_t> blocks;  // packed entry, or kListed and the index of a list
    std::vector<std::uint16_t> listed;

    std::uint16_t word(Lid lid) const {
      const std::uint16_t of_block = blocks[lid.value() / kLftBlock];
      if ((of_block & kListed) == 0) return of_block;
      return listed[(of_block & ~kListed) * kLftBlock + lid.value() % kLftBlock];
    }
  };
  void take_memory(Row& row) const;
  bool equal_rows(const Row& one, const Row& other) const;

  Lid top_{};
  std::vector<std::vector<PortMask>> groups_;          // by switch
  std::vector<std::vector<GroupDivision>> divisions_;  // by switch; may be empty
  std::vector<Row> rows_;                              // by switch
  std::vector<SwitchNotifications> notifications_;     // by switch; may be empty
  GroupNumbers numbers_;
  std::vector<ArTables> private_;  // tables 1 and higher; empty without private tables
  TableSelection selection_;       // empty without private tables
};

/// Calls body(PortNum) for each port of the mask, ascending.
template <class Body>
void for_each_port(const PortMask& ports, const Body& body) {
  for (std::size_t port = ports._Find_first(); port < ports.size(); port = ports._Find_next(port))
    body(PortNum(static_cast<std::uint8_t>(port)));
}

/// Calls body(PortNum) for each output port of a LID: the port in the forwarding table first, even
/// if it is kNoRoute, then the other ports of the group.
template <class Body>
void for_each_choice(const Lfts& lfts, const ArTables* adaptive, SwitchId sw, Lid lid,
                     const Body& body) {
  const PortNum port = lfts.port(sw, lid);
  body(port);
  const PortMask* group = adaptive == nullptr ? nullptr : adaptive->group_of(sw, lid);
  if (group == nullptr) return;
  for_each_port(*group, [&](PortNum other) {
    if (other != port) body(other);
  });
}

/// Like the other for_each_choice(), for packets with an SL that enter the switch by a port.
template <class Body>
void for_each_choice(const Lfts& lfts, const ArTables* adaptive, SwitchId sw, PortNum in, Sl sl,
                     Lid lid, const Body& body) {
  for_each_choice(lfts, adaptive == nullptr ? nullptr : &adaptive->table_for(sw, in, sl), sw, lid,
                  body);
}

/// Size of adaptive routing tables, private tables included.
struct ArCount {
  std::uint32_t switches = 0;  // switches with adaptive entries
  std::uint64_t groups = 0;
  std::uint64_t groups_max = 0;        // largest number of groups of a switch
  std::uint64_t entries = 0;           // number of adaptive entries
  unsigned private_tables = 0;         // tables besides table 0
  std::uint32_t private_switches = 0;  // switches that use private tables
  bool operator==(const ArCount&) const = default;
};
ArCount count(const ArTables& tables);

}  // namespace weft
