// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deviations of one node's management agent, as observed on real hardware of several generations
// and firmware versions. The default deviates in nothing.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

/// Support of SMSupportExtendedSpeeds, bit 31 of the modifier of PortInfo.
enum class ExtendedSpeeds : std::uint8_t {
  kShown,      // accepts the bit; reports the extended fields without it too
  kOnRequest,  // accepts the bit; without it the extended fields are 0
  kUnknown,    // QDR at most, without CapabilityMask bit 14: status 0x1C to the bit
  kRefused     // as kShown, but status 0x1C to the bit
};

/// How a switch with OptimizedSLtoVLMappingProgramming handles the SMP for all pairs.
enum class OptimizedSl2VlQuirk : std::uint8_t {
  kWrites,   // writes all pairs
  kIgnores,  // responds with good status and writes nothing
  kRefuses   // responds with an error status
};

struct DeviceQuirks {
  /// SMPs queued at the agent, the one in progress included; further ones are dropped, as VL15 has
  /// no flow control. 0: any number.
  unsigned queue_max = 0;
  TimeNs answer_time{0};  // for one SMP; 0: EmulatorOptions::sma_time
  /// For this time after power-up each response takes `starting_answer_time`.
  TimeNs starting_for{0};
  TimeNs starting_answer_time{0};
  /// One response of every `late_every` is delayed by `late_by`; 0: none is.
  unsigned late_every = 0;
  TimeNs late_by{0};
  /// On a switch: every other Set that clears PortStateChange has no effect.
  bool clears_every_other_time = false;
  /// Links of the node go down once more soon after they come up.
  bool trains_twice = false;
  /// Changes of its description and capabilities cause no trap 144.
  bool no_change_traps = false;
  ExtendedSpeeds extended_speeds = ExtendedSpeeds::kShown;
  /// Of every `busy_every` requests the first `busy_burst` get status BUSY; 0: none.
  unsigned busy_every = 0;
  unsigned busy_burst = 1;
  /// Requests with this method and attribute get this status; good: none do.
  std::uint16_t refused_status = mad_status::kGood;
  Method refused_method = Method::kGet;
  AttributeId refused_attribute{};
  /// Data from an ACTIVE neighbour moves a port from ARMED to ACTIVE, and a Set to ACTIVE of an
  /// ACTIVE port is refused.
  bool active_by_data = false;
  OptimizedSl2VlQuirk sl2vl_at_once = OptimizedSl2VlQuirk::kWrites;
  /// A Set leaves HOQLife, VLStallCount and the error thresholds as they are; the response shows
  /// it.
  bool keeps_thresholds = true;
  /// Links in use retrain when a Set changes OperationalVLs at one end: flow control of the two
  /// ends does not match.
  bool retrains_on_vl_change = false;
  bool operator==(const DeviceQuirks&) const = default;
};

}  // namespace weft
