// The forwarding tables that switches are known to hold: what was read from them or written to
// them, kept from sweep to sweep by GUID, so that only blocks that differ are written. Knowledge
// ends where a switch may have been reset behind our back.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ib/ids.h"
#include "routes/lfts.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

/// What one switch holds, as far as it is known.
class HeldTable {
 public:
  /// True where the block is known to hold exactly these bytes.
  bool holds(std::size_t block, std::span<const std::uint8_t> bytes) const;
  bool knows(std::size_t block) const { return block < known_.size() && known_[block]; }
  void remember(std::size_t block, std::span<const std::uint8_t> bytes);

  /// The LinearFDBTop that goes with the table; another one means that somebody else was here.
  std::uint16_t top() const { return top_; }
  void set_top(std::uint16_t top) { top_ = top; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<bool> known_;  // by block
  std::uint16_t top_ = 0;
};

class HeldTables {
 public:
  /// Null where nothing is known.
  const HeldTable* find(Guid sw) const;
  HeldTable& at(Guid sw) { return tables_[sw]; }
  void forget(Guid sw) { tables_.erase(sw); }
  void forget_all() { tables_.clear(); }

  /// Forgets the tables of switches that are gone, or may have been reset: their LinearFDBTop is
  /// not ours, or all their links are in INIT as after power-up.
  void distrust(const Observed& observed);

 private:
  std::unordered_map<Guid, HeldTable> tables_;
};

/// Reads the tables of switches that forward already and are not known: after a restart on a
/// running fabric. A switch without LinearFDBTop has no tables to speak of, so a fabric that was
/// just switched on needs no question.
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
  std::size_t at_ = 0;     // in wanted_
  std::size_t block_ = 0;  // of that switch
  std::uint64_t blocks_read_ = 0;
  std::vector<bool> silent_;  // by SwitchId: did not answer, so its other blocks are not asked for
};

}  // namespace weft
