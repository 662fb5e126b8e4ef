// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forecasts the effect of replacing the partitions of a running subnet.
#pragma once

#include <string>
#include <vector>

#include "sm/options.h"
#include "sm/partitions/held_pkeys.h"
#include "sm/partitions/partitions.h"

namespace weft {

struct PkeyForecast {
  std::vector<Guid> nodes;             // GUIDs of nodes with a port that gets a new table, sorted
  std::size_t ports = 0;               // endports and virtual ports with a new table
  std::vector<std::string> shortages;  // messages about tables that would become too small
};

/// The effect of `partitions` in place of those in the options; port groups stay unchanged.
PkeyForecast forecast_pkeys(const Observed& observed, const SmOptions& options,
                            const HeldPkeys& held, const AliasGuids& aliases,
                            const PartitionFile& partitions);

}  // namespace weft
