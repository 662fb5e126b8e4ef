// How the management agent of one node differs from what the others do: what is found on real
// hardware of several generations and firmware versions. The default differs in nothing.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

/// How a device takes SMSupportExtendedSpeeds, bit 31 of the modifier of PortInfo.
enum class ExtendedSpeeds : std::uint8_t {
  kShown,      // takes the bit, and shows the extended fields without it too
  kOnRequest,  // takes the bit; without it the extended fields are 0
  kUnknown,    // QDR at most, without CapabilityMask bit 14: status 0x1C to the bit
  kRefused     // as kShown, but status 0x1C to the bit
};

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
  /// For so long after power-up each answer takes `starting_answer_time`.
  TimeNs starting_for{0};
  TimeNs starting_answer_time{0};
  /// One answer of so many is sent `late_by` later than it could be; 0: none is.
  unsigned late_every = 0;
  TimeNs late_by{0};
  /// Of a switch: every other time that PortStateChange is cleared, it stays.
  bool clears_every_other_time = false;
  /// Links of the node break once more soon after they came up.
  bool trains_twice = false;
  /// Changes of its description and capabilities cause no trap 144.
  bool changes_untold = false;
  ExtendedSpeeds extended_speeds = ExtendedSpeeds::kShown;
  /// Of so many requests the first `busy_burst` are answered with BUSY; 0: none.
  unsigned busy_every = 0;
  unsigned busy_burst = 1;
  /// Requests with this method and attribute are answered with this status; good: none are.
  std::uint16_t refused_status = mad_status::kGood;
  Method refused_method = Method::kGet;
  AttributeId refused_attribute{};
  /// Data from an ACTIVE neighbour moves a port from ARMED to ACTIVE, and a Set to ACTIVE of an
  /// ACTIVE port is refused.
  bool active_by_data = false;
  Sl2VlAtOnce sl2vl_at_once = Sl2VlAtOnce::kWrites;
  /// Links in use train anew when a Set changes OperationalVLs at one end: flow control of the two
  /// ends does not fit.
  bool retrains_on_vl_change = false;
  bool operator==(const DeviceQuirks&) const = default;
};

}  // namespace weft
