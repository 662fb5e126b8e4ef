// What an emulated fabric is like: table sizes, times and faults. Nothing here changes after the
// fabric is switched on, except the faults.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace weft {

/// Chances of what may happen to each SMP on its way, answers included.
struct FaultRates {
  double lost = 0;
  double doubled = 0;
  double late = 0;
  TimeNs late_by_max{std::chrono::milliseconds(500)};  // late ones come up to this much later
  bool operator==(const FaultRates&) const = default;
};

/// How nodes take MLNX ExtendedPortInfo, where their device ids say that they may know it.
enum class ExtendedPorts : std::uint8_t {
  kAnswered,  // FDR10 is supported by nodes that have an FDR10 cable in the file
  kRefused,   // as what they do not know
  kIgnored    // without an answer
};

/// How switches that may know adaptive routing by their device ids take its attributes.
enum class AdaptiveSwitches : std::uint8_t {
  kRefused,   // as what they do not know
  kAnswered,  // all can choose
  kMixed,     // in turn: it can, cannot, holds few groups, is of an old version, refuses
  kIgnored    // without an answer
};

inline constexpr std::uint16_t kArGroupsFew = 2;

struct EmulatorOptions {
  std::uint64_t seed = 1;  // of the faults
  FaultRates faults;

  TimeNs hop_latency{200};
  TimeNs sma_time{std::chrono::microseconds(2)};  // an agent answers one SMP after the other
  TimeNs notification_time{100};  // a switch makes one routing notification after the other
  TimeNs training_time{std::chrono::milliseconds(10)};  // from two willing ends to INIT
  TimeNs trap_interval{std::chrono::seconds(1)};        // between repetitions of a trap
  unsigned trap_repeats_max = 10;                       // then the sender gives up
  unsigned hops_max = 64;  // a LID-routed SMP that loops dies after so many

  std::uint16_t linear_fdb_cap = 0xC000;  // entries of each switch
  std::uint16_t multicast_fdb_cap = 0x1000;
  std::uint16_t switch_pkey_cap = 32;  // entries of each switch port
  std::uint16_t ca_pkey_cap = 128;     // entries of each CA port
  std::uint8_t guid_cap = 8;
  std::uint8_t vl_arb_cap = 8;            // entries of the low and of the high table
  std::uint8_t response_time_value = 16;  // 4.096 us * 2^n
  ExtendedPorts extended_ports = ExtendedPorts::kAnswered;
  bool fdr10_enabled = true;  // after power-up
  AdaptiveSwitches adaptive = AdaptiveSwitches::kRefused;
  std::uint16_t ar_groups = 1024;  // that a switch holds; of few, kArGroupsFew
  bool notifications = false;      // switches that can choose tell each other of LIDs they lost
  bool optimized_sl2vl = false;    // switches offer OptimizedSLtoVLMappingProgramming
};

}  // namespace weft
