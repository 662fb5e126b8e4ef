// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cache of the forwarding tables of switches, and of SL2VL, VL arbitration and P_Key tables and
// alias GUIDs of all nodes, as read or written, kept from sweep to sweep by GUID so that only
// blocks that differ are written. Also declares TableReading, which fills the cache with forwarding
// tables. Also caches the values that ports do not store (held_ports.h). Tables of a node that may
// have been reset are dropped.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "ib/ids.h"
#include "ib/tables.h"
#include "routes/lfts.h"
#include "sm/discovery/smp_client.h"
#include "sm/lids/alias_guids.h"
#include "sm/observed.h"
#include "sm/partitions/held_pkeys.h"
#include "sm/programming/held_ports.h"
#include "sm/programming/mft_blocks.h"
#include "sm/qos/lanes.h"

namespace weft {

/// True if the node may have been reset: a switch, if all its links that are up are in INIT, as
/// after power-up; a CA or router, if one of its ports is in INIT, because a host may reset a
/// single port. False for a node without a link that is up.
bool has_reset_state(const ObservedNode& node);

/// The known tables of one switch.
class HeldTable {
 public:
  /// True if the block is known to hold exactly these bytes.
  bool holds(std::size_t block, std::span<const std::uint8_t> bytes) const;
  bool is_known(std::size_t block) const { return block < known_.size() && known_[block]; }
  /// The entries of a known block.
  std::span<const std::uint8_t> block(std::size_t block) const {
    return std::span(bytes_).subspan(block * kLftBlock, kLftBlock);
  }
  /// The known output port of a LID; kNoRoute if unknown.
  PortNum port(Lid lid) const;
  void remember(std::size_t block, std::span<const std::uint8_t> bytes);

  /// A block of the multicast table; null if unknown.
  const MulticastForwardingTable* multicast(MftIndex index) const {
    const auto found = multicast_.find(index);
    return found == multicast_.end() ? nullptr : &found->second;
  }
  void remember_multicast(MftIndex index, const MulticastForwardingTable& table) {
    multicast_[index] = table;
  }
  const std::map<MftIndex, MulticastForwardingTable>& all_multicast() const { return multicast_; }

  /// The LinearFDBTop written or read with the table; another LinearFDBTop at the switch means that
  /// another manager wrote the tables, or that the switch was reset.
  std::uint16_t top() const { return top_; }
  void set_top(std::uint16_t top) { top_ = top; }

  /// The MulticastFDBTop of the switch when first discovered: a previous manager may have written
  /// entries of other groups up to this LID.
  Lid multicast_top() const { return multicast_top_; }
  void set_multicast_top(Lid top) { multicast_top_ = top; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<bool> known_;  // by block: whether its entries are known
  std::map<MftIndex, MulticastForwardingTable> multicast_;
  std::uint16_t top_ = 0;
  Lid multicast_top_{kLidNone};
};

/// The known SL2VL and arbitration tables of one node, with the indices of NodeLaneTables.
class HeldLanes {
 public:
  explicit HeldLanes(unsigned ports) : stride_(ports + 1) {}

  /// True if the pair is known to have this map; with kEveryPair, if all pairs are known to have
  /// this map.
  bool holds_map(std::uint16_t pair, const SlMap& map) const;
  bool has_map(std::uint16_t pair) const;
  void remember_map(std::uint16_t pair, const SlMap& map);

  bool holds_arbitration(std::uint16_t index, const VlArbTable& table) const;
  bool has_arbitration(std::uint16_t index) const { return arbitration_.contains(index); }
  void remember_arbitration(std::uint16_t index, const VlArbTable& table) {
    arbitration_[index] = table;
  }

 private:
  std::size_t slot(std::uint16_t pair) const {
    return std::size_t{pair} / 256 * stride_ + pair % 256;
  }
  unsigned stride_;
  std::vector<std::uint64_t> maps_;  // by input, then output port: four bits for each SL
  std::vector<bool> map_known_;
  std::unordered_map<std::uint16_t, VlArbTable> arbitration_;
};

class HeldTables {
 public:
  /// Null if nothing is known.
  const HeldTable* find(Guid sw) const;
  HeldTable& at(Guid sw) { return tables_[sw]; }
  const HeldLanes* find_lanes(Guid node) const;
  /// The tables of a node; created if nothing is known. `ports`: number of ports of the node.
  HeldLanes& lanes_at(Guid node, unsigned ports) {
    return lanes_.try_emplace(node, ports).first->second;
  }
  HeldPkeys& pkeys() { return pkeys_; }
  const HeldPkeys& pkeys() const { return pkeys_; }
  HeldPorts& ports() { return ports_; }
  const HeldPorts& ports() const { return ports_; }
  HeldAliases& aliases() { return aliases_; }
  const HeldAliases& aliases() const { return aliases_; }
  /// Drops what is known about a node, except alias GUIDs.
  void forget(Guid node) {
    tables_.erase(node);
    lanes_.erase(node);
    pkeys_.forget(node);
    ports_.forget(node);
  }
  void forget_all() {
    forget_tables();
    ports_.forget_all();
  }
  /// Drops all tables. The values that ports do not store stay known, because PortInfo is read in
  /// each sweep.
  void forget_tables() {
    tables_.clear();
    lanes_.clear();
    pkeys_.forget_all();
    aliases_.forget_all();
  }

  /// Drops the tables of nodes that are absent or may have been reset: LinearFDBTop of a switch has
  /// changed, all its links are in INIT as after power-up, or a port of a CA is in INIT.
  void distrust(const Observed& observed);

 private:
  std::unordered_map<Guid, HeldTable> tables_;
  std::unordered_map<Guid, HeldLanes> lanes_;
  HeldPkeys pkeys_;
  HeldPorts ports_;
  HeldAliases aliases_;
};

/// The known tables for the LIDs of the fabric; kNoRoute for unknown entries and above
/// LinearFDBTop.
Lfts held_routes(const HeldTables& held, const Fabric& fabric);

/// Reads the forwarding tables, including multicast tables, of switches that already forward
/// packets but are not cached: after a restart on a running fabric. A switch with LinearFDBTop 0
/// has no tables, so a freshly powered-on fabric needs no reads.
class TableReading final : public SmpWork {
 public:
  TableReading(const Observed& observed, HeldTables& held);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  std::uint64_t blocks_read() const { return blocks_read_; }

 private:
  const Observed& observed_;
  HeldTables& held_;
  std::vector<SwitchId> wanted_;
  std::size_t at_ = 0;               // index in wanted_
  std::size_t block_ = 0;            // next block of that switch
  std::vector<MftIndex> multicast_;  // multicast blocks of that switch, to be read after its LFT
  std::uint64_t blocks_read_ = 0;
  std::vector<bool> silent_;  // by SwitchId: did not answer; its other blocks are not read
};

}  // namespace weft
