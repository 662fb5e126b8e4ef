// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: reads unknown forwarding tables of switches. In a sweep that may use or disable
// adaptive routing, it also reads the capabilities of switches and the blocks of AR tables that a
// late Set may have overwritten, and selects the default engine (default_engine.h).
#pragma once

#include <cstdint>
#include <optional>

#include "policy/device_configuration.h"
#include "sm/adaptive/adaptive.h"
#include "sm/adaptive/ar_reading.h"
#include "sm/adaptive/ar_table_reading.h"
#include "sm/adaptive/hash_entry_reading.h"
#include "sm/discovery/smp_work.h"
#include "sm/options.h"
#include "sm/programming/held_tables.h"
#include "sm/subnet_memory.h"

namespace weft {

class ReadTablesStage final : public WorkInParts {
 public:
  /// Drops the known content of tables that may have changed, and reads unknown tables into the
  /// memory. `is_update`: adaptive routing is not changed. References must outlive the stage.
  ReadTablesStage(SubnetMemory& memory, const SmOptions& options, bool is_update);

  bool advance() override;

  struct Output {
    std::uint64_t blocks_read = 0;
    ArConf ar_conf;  // AR configuration of this sweep
  };
  Output output() const { return {tables_->blocks_read(), ar_conf_}; }

 private:
  void configure();
  void decide_default();

  SubnetMemory& memory_;
  const SmOptions& options_;
  const bool is_update_;
  std::optional<TableReading> tables_;
  bool is_configured_ = false;
  std::optional<ArReading> capabilities_;
  std::optional<HashEntryReading> hash_entries_;
  std::optional<ArTableReading> ar_tables_;
  ArConf ar_conf_;
};

}  // namespace weft
