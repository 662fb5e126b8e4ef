// How the management agent of one node differs from what the others do: what is found on real
// hardware of several generations and firmware versions. The default differs in nothing.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace weft {

struct DeviceQuirks {
  /// SMPs that wait for the agent, the one that it works on included; those that come beyond are
  /// dropped, as VL15 has no flow control. 0: any number.
  unsigned queue_max = 0;
  TimeNs answer_time{0};  // for one SMP; 0: EmulatorOptions::sma_time
  bool operator==(const DeviceQuirks&) const = default;
};

}  // namespace weft
