// The forwarding tables that switches are known to hold, and the tables of lanes and the P_Keys of
// all nodes: what was read from them or written to them, kept from sweep to sweep by GUID, so that
// only blocks that differ are written. Knowledge ends where a switch may have been reset behind our
// back.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "ib/ids.h"
#include "ib/tables.h"
#include "routes/lfts.h"
#include "sm/alias_guids.h"
#include "sm/held_pkeys.h"
#include "sm/lanes.h"
#include "sm/mft_blocks.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

/// After power-up every link of a switch is in INIT, while a fabric in use has ACTIVE ones. A host
/// may reset one port alone.
bool looks_reset(const ObservedNode& node);

/// What one switch holds, as far as it is known.
class HeldTable {
 public:
  /// True where the block is known to hold exactly these bytes.
  bool holds(std::size_t block, std::span<const std::uint8_t> bytes) const;
  bool knows(std::size_t block) const { return block < known_.size() && known_[block]; }
  /// The block's entries, of one that is known.
  std::span<const std::uint8_t> block(std::size_t block) const {
    return std::span(bytes_).subspan(block * kLftBlock, kLftBlock);
  }
  /// kNoRoute where it is not known.
  PortNum port(Lid lid) const;
  void remember(std::size_t block, std::span<const std::uint8_t> bytes);

  /// A block of the multicast table; null where it is not known.
  const MulticastForwardingTable* multicast(MftIndex index) const {
    const auto found = multicast_.find(index);
    return found == multicast_.end() ? nullptr : &found->second;
  }
  void remember_multicast(MftIndex index, const MulticastForwardingTable& table) {
    multicast_[index] = table;
  }
  const std::map<MftIndex, MulticastForwardingTable>& all_multicast() const { return multicast_; }

  /// The LinearFDBTop that goes with the table; another one means that somebody else was here.
  std::uint16_t top() const { return top_; }
  void set_top(std::uint16_t top) { top_ = top; }

  /// The MulticastFDBTop that the switch had when it was first seen: up to it a manager that knew
  /// other groups may have written anything.
  Lid multicast_top() const { return multicast_top_; }
  void set_multicast_top(Lid top) { multicast_top_ = top; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<bool> known_;  // by block
  std::map<MftIndex, MulticastForwardingTable> multicast_;
  std::uint16_t top_ = 0;
  Lid multicast_top_{kLidNone};
};

/// What one node is known to hold for its lanes. Indices are those of NodeLaneTables.
class HeldLanes {
 public:
  explicit HeldLanes(unsigned ports) : stride_(ports + 1) {}

  /// `pair` may be kEveryPair: then every pair is known to hold the map.
  bool holds_map(std::uint16_t pair, const SlMap& map) const;
  bool knows_map(std::uint16_t pair) const;
  void remember_map(std::uint16_t pair, const SlMap& map);

  bool holds_arbitration(std::uint16_t index, const VlArbTable& table) const;
  bool knows_arbitration(std::uint16_t index) const { return arbitration_.contains(index); }
  void remember_arbitration(std::uint16_t index, const VlArbTable& table) {
    arbitration_[index] = table;
  }

 private:
  std::size_t slot(std::uint16_t pair) const {
    return std::size_t{pair} / 256 * stride_ + pair % 256;
  }
  unsigned stride_;
  std::vector<std::uint64_t> maps_;  // by input, then output port: four bits an SL
  std::vector<bool> map_known_;
  std::unordered_map<std::uint16_t, VlArbTable> arbitration_;
};

class HeldTables {
 public:
  /// Null where nothing is known.
  const HeldTable* find(Guid sw) const;
  HeldTable& at(Guid sw) { return tables_[sw]; }
  const HeldLanes* find_lanes(Guid node) const;
  /// `ports`: of the node.
  HeldLanes& lanes_at(Guid node, unsigned ports) {
    return lanes_.try_emplace(node, ports).first->second;
  }
  HeldPkeys& pkeys() { return pkeys_; }
  const HeldPkeys& pkeys() const { return pkeys_; }
  HeldAliases& aliases() { return aliases_; }
  const HeldAliases& aliases() const { return aliases_; }
  void forget(Guid node) {
    tables_.erase(node);
    lanes_.erase(node);
    pkeys_.forget(node);
  }
  void forget_all() {
    tables_.clear();
    lanes_.clear();
    pkeys_.forget_all();
    aliases_.forget_all();
  }

  /// Forgets the tables of nodes that are gone, or may have been reset: the LinearFDBTop of a
  /// switch is not ours, all its links are in INIT as after power-up, or a port of a host is.
  void distrust(const Observed& observed);

 private:
  std::unordered_map<Guid, HeldTable> tables_;
  std::unordered_map<Guid, HeldLanes> lanes_;
  HeldPkeys pkeys_;
  HeldAliases aliases_;
};

/// What is known, as tables for the fabric's LIDs; kNoRoute where nothing is.
Lfts held_routes(const HeldTables& held, const Fabric& fabric);

/// Reads the forwarding tables, multicast ones too, of switches that forward already and are not
/// known: after a restart on a running fabric. A switch without LinearFDBTop has no tables to speak
/// of, so a fabric that was just switched on needs no question.
class TableReading final : public SmpWork {
 public:
  TableReading(const Observed& observed, HeldTables& held, Mkey mkey);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  std::uint64_t blocks_read() const { return blocks_read_; }

 private:
  const Observed& observed_;
  HeldTables& held_;
  const Mkey mkey_;
  std::vector<SwitchId> wanted_;
  std::size_t at_ = 0;               // in wanted_
  std::size_t block_ = 0;            // of that switch
  std::vector<MftIndex> multicast_;  // of that switch, to be read after its LFT
  std::uint64_t blocks_read_ = 0;
  std::vector<bool> silent_;  // by SwitchId: did not answer, so its other blocks are not asked for
};

}  // namespace weft
