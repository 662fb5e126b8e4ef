// How the management agent of one node differs from what the others do: what is found on real
// hardware of several generations and firmware versions. The default differs in nothing.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace weft {

/// How a switch that offers OptimizedSLtoVLMappingProgramming takes the SMP for all pairs.
enum class Sl2VlAtOnce : std::uint8_t {
  kWrites,   // all pairs
  kIgnores,  // answers well and writes nothing
  kRefuses   // with a bad status
};

struct DeviceQuirks {
  /// SMPs that wait for the agent, the one that it works on included; those that come beyond are
  /// dropped, as VL15 has no flow control. 0: any number.
  unsigned queue_max = 0;
  TimeNs answer_time{0};  // for one SMP; 0: EmulatorOptions::sma_time
  Sl2VlAtOnce sl2vl_at_once = Sl2VlAtOnce::kWrites;
  /// Links in use train anew when a Set changes OperationalVLs at one end: flow control of the two
  /// ends does not fit.
  bool retrains_on_vl_change = false;
  bool operator==(const DeviceQuirks&) const = default;
};

}  // namespace weft
