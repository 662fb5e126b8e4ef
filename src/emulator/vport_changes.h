// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual machines that start, end and migrate between the hosts of an emulated fabric.
#pragma once

#include <chrono>
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

/// Schedules a change of the virtual ports (vports) at each interval, one of four at random: two
/// move a vport to a host selected at random; one removes a vport, or adds a vport if the maximum
/// number of vports is removed; one adds the vport that was removed last to a host selected at
/// random, or moves a vport if none is removed. The maximum number of removed vports is a quarter
/// of the vports at the time of the call, or one if the quarter is less. Nothing changes in an
/// interval if no vport in use is selected in 20 tries, or if the selected host has the vport
/// already or has no free index. `emulated` must have virtual ports on at least two hosts;
/// otherwise nothing changes.
void schedule_vport_changes(EmulatedFabric& emulated, const VportChangeOptions& options = {});

}  // namespace weft
