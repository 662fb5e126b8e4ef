// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deviations of the SMA and the links of one node, as observed on real hardware of several
// generations and firmware versions. By default there are none.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

/// Support of SMSupportExtendedSpeeds, bit 31 of the modifier of PortInfo.
enum class ExtendedSpeeds : std::uint8_t {
  kShown,        // accepts the bit; reports the extended fields without it too
  kOnRequest,    // accepts the bit; without it the extended fields are 0
  kUnsupported,  // at most QDR, CapabilityMask bit 14 is 0; status 0x1C to requests with modifier
                 // bit 31
  kRefused       // as kShown, but status 0x1C to requests with modifier bit 31
};

/// How a switch with OptimizedSLtoVLMappingProgramming handles the SMP for all pairs.
enum class OptimizedSl2VlQuirk : std::uint8_t {
  kWrites,   // writes all pairs
  kIgnores,  // responds with good status and writes nothing
  kRefuses   // responds with an error status
};

struct DeviceBehavior {
  /// Maximum SMPs queued at the SMA, the one in progress included; further SMPs are dropped,
  /// because VL15 has no flow control. 0: no limit.
  unsigned queue_max = 0;
  TimeNs answer_time{0};  // for one SMP; 0: EmulatorOptions::sma_time
  /// For this time after power-up each response takes `starting_answer_time`.
  TimeNs starting_for{0};
  TimeNs starting_answer_time{0};
  /// One of every `late_every` responses is delayed by `late_by`; 0: none.
  unsigned late_every = 0;
  TimeNs late_by{0};
  /// On a switch: every other Set that clears PortStateChange has no effect.
  bool clears_every_other_time = false;
  /// Links of the node go down once more soon after they come up.
  bool trains_twice = false;
  /// Changes of the description and capabilities of the node cause no trap 144.
  bool no_change_traps = false;
  ExtendedSpeeds extended_speeds = ExtendedSpeeds::kShown;
  /// The first `busy_burst` of every `busy_every` requests get status BUSY; 0: none.
  unsigned busy_every = 0;
  unsigned busy_burst = 1;
  /// Status of the response to requests with refused_method and refused_attribute; kGood: no
  /// request is refused.
  std::uint16_t refused_status = mad_status::kGood;
  Method refused_method = Method::kGet;
  AttributeId refused_attribute{};
  /// Data from an ACTIVE neighbor moves a port from ARMED to ACTIVE, and a Set to ACTIVE of an
  /// ACTIVE port is refused.
  bool active_by_data = false;
  OptimizedSl2VlQuirk sl2vl_at_once = OptimizedSl2VlQuirk::kWrites;
  /// False: a Set does not change HOQLife, VLStallCount and the error thresholds; its response
  /// shows the old values.
  bool stores_thresholds = true;
  /// Links in use retrain when a Set changes OperationalVLs at one end, because the flow control of
  /// the two ends differs.
  bool retrains_on_vl_change = false;
  /// A switch stores only these of the fields in a Set of HBFConfig, although it announces more.
  std::uint64_t stored_hash_fields = ~std::uint64_t{0};
  /// A switch rounds the times in a Set of pFRNConfig up to a multiple of this many seconds.
  std::uint16_t pfrn_time_step_s = 1;
  bool operator==(const DeviceBehavior&) const = default;
};

}  // namespace weft
