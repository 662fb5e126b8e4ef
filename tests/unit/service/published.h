// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A snapshot as published by a manager: a generated fabric with minhop routes and LIDs from 1 on.
#pragma once

#include <string>

#include "sm/sweep_report.h"

namespace weft {

Snapshot published(const std::string& spec, std::uint64_t sweep = 7);

}  // namespace weft
