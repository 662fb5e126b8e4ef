// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All registrations of SA clients at one time, as copied to standby managers.
#pragma once

#include <cstdint>
#include <vector>

#include "sa/dump/dump.h"

namespace weft::sa {

struct Registrations {
  std::uint64_t version = 0;  // increases with each change
  std::vector<DumpRecord> records;
};

}  // namespace weft::sa
