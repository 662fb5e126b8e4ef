// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads P_Key tables that are planned but unknown, so that existing entries keep their index and
// only blocks that differ are written.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/discovery/smp_client.h"
#include "sm/programming/desired.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// A table that cannot be read stays unknown, and is written.
class PkeyReading final : public SmpWork {
 public:
  PkeyReading(const Observed& observed, const Fabric& fabric, const SmOptions& options,
              HeldTables& held);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  /// Sets (port_, block_) to the next block to read; false if there is none.
  bool find_next();

  const Observed& observed_;
  const Fabric& fabric_;
  const SmOptions& options_;
  HeldPkeys& held_;
  std::uint32_t port_ = 0;  // PortId
  std::size_t block_ = 0;
  std::vector<bool> silent_;  // by NodeId
};

}  // namespace weft
