// The forwarding tables that switches are known to hold: what was read from them or written to
// them, kept from sweep to sweep by GUID, so that only blocks that differ are written.
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

class HeldTables {
 public:
  /// True where the block is known to hold exactly these bytes.
  bool holds(Guid sw, std::size_t block, std::span<const std::uint8_t> bytes) const;
  void remember(Guid sw, std::size_t block, std::span<const std::uint8_t> bytes);
  void forget(Guid sw, std::size_t block);
  void forget(Guid sw) { rows_.erase(sw); }
  bool knows(Guid sw) const { return rows_.contains(sw); }

  /// Forgets switches that were rebooted: their LinearFDBTop is not what `top_of` was told of.
  void expect_top(Guid sw, std::uint16_t top) { rows_[sw].top = top; }
  std::uint16_t expected_top(Guid sw) const;

 private:
  struct Row {
    std::vector<std::uint8_t> bytes;
    std::vector<bool> known;  // by block
    std::uint16_t top = 0;    // the LinearFDBTop that was set with it
  };
  std::unordered_map<Guid, Row> rows_;
};

/// Reads the tables of switches that are in use already and not known: after a restart on a running
/// fabric.
class TableReading final : public SmpWork {
 public:
  TableReading(const Observed& observed, HeldTables& held, Mkey mkey);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Smp& request) override;

 private:
  const Observed& observed_;
  HeldTables& held_;
  const Mkey mkey_;
  std::vector<SwitchId> wanted_;
  std::size_t at_ = 0;     // in wanted_
  std::size_t block_ = 0;  // of that switch
};

}  // namespace weft
