// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual machines that start, end and migrate between the hosts of an emulated fabric.
#pragma once

#include <cstdint>

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "emulator/emulated_fabric.h"

namespace weft {

struct VportChangeOptions {
  std::uint64_t seed = 1;
  TimeNs interval = std::chrono::seconds(1);  // time between two changes
  TimeNs until = TimeNs::max();               // no changes after this time
  std::shared_ptr<std::uint64_t> count{};     // number of changes so far; null: not counted
};

/// Schedules a random change of the virtual ports (vports) at each interval. On average, two of
/// four changes move a vport to a random host, one removes a vport, and one adds a removed vport.
/// At most a quarter of the vports, but at least one, is removed at a time. `emulated` must have
/// virtual ports on at least two hosts; otherwise nothing changes.
void schedule_vport_changes(EmulatedFabric& emulated, const VportChangeOptions& options = {});

}  // namespace weft
