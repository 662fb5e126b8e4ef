// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the blocks of AR tables that a late Set may have overwritten. If the blocks have the
// confirmed content, they are not written again, so adaptive routing is not disabled.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/adaptive/ar_memory.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"

namespace weft {

class ArTableReading final : public SmpWork {
 public:
  /// Reads the confirmed blocks of switches with ArHeld::in_doubt. Unconfirmed blocks are not read,
  /// because they will be written. The referenced objects must outlive this object.
  ArTableReading(const Observed& observed, ArMemory& known);

  bool is_empty() const { return wanted_.empty(); }
  bool next(Smp& request, std::uint64_t& cookie) override;
  /// Marks a block with other content as unknown.
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Clears ArHeld::in_doubt of all switches. Call when all requests have ended.
  void conclude();

 private:
  struct Block {
    std::uint32_t sw = 0;  // SwitchId
    ArStep table{};
    std::uint16_t block = 0;
  };
  std::uint64_t& digest_of(const Block& block);

  const Observed& observed_;
  ArMemory& known_;
  std::vector<Block> wanted_;
  std::size_t asked_ = 0;
};

}  // namespace weft
