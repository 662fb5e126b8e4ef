// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of the performance management class: PortCounters and PortCountersExtended, as an
// array indexed by Counter, so that one table describes every counter.
// Layout: InfiniBand Architecture Specification, volume 1, chapters 16.1.3.5 and 16.1.4.11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ib/gmp.h"

namespace weft {

/// Error counters first, with PortXmitWait as the last, then data counters, each in the order of
/// OpenSM's dump.
enum class Counter : std::uint8_t {
  kSymbolErrors,
  kLinkErrorRecovery,
  kLinkDowned,
  kRcvErrors,
  kRcvRemotePhysicalErrors,
  kRcvSwitchRelayErrors,
  kXmitDiscards,
  kXmitConstraintErrors,
  kRcvConstraintErrors,
  kLocalLinkIntegrityErrors,
  kBufferOverrunErrors,
  kVl15Dropped,
  kXmitWait,
  kXmitData,  // data in units of 4 bytes
  kRcvData,
  kXmitPkts,
  kRcvPkts,
  kUnicastXmitPkts,
  kUnicastRcvPkts,
  kMulticastXmitPkts,
  kMulticastRcvPkts
};
inline constexpr std::size_t kCounterCount = 21;
inline constexpr std::size_t kErrorCounterCount = 13;

constexpr std::size_t index(Counter counter) { return static_cast<std::size_t>(counter); }
constexpr Counter counter_at(std::size_t index) { return static_cast<Counter>(index); }
constexpr bool counts_errors(Counter counter) { return index(counter) < kErrorCounterCount; }

/// The specification's name: "SymbolErrorCounter".
std::string_view name(Counter counter);
/// Width of the counter in PortCounters in bits; 0 if only PortCountersExtended has the counter.
unsigned width(Counter counter);

using CounterValues = std::array<std::uint64_t, kCounterCount>;

enum class PerformanceAttribute : std::uint16_t {
  kClassPortInfo = 0x0001,
  kPortCounters = 0x0012,
  kPortCountersExtended = 0x001D
};

/// Bits of CapabilityMask in ClassPortInfo of the class (chapter 16.1.3.1).
namespace perf_capability {
inline constexpr std::uint16_t kAllPortSelect = 1u << 8;
inline constexpr std::uint16_t kExtendedWidth = 1u << 9;
/// PortCountersExtended without the unicast and multicast counters.
inline constexpr std::uint16_t kExtendedWidthNoIetf = 1u << 10;
inline constexpr std::uint16_t kXmitWait = 1u << 12;
}  // namespace perf_capability

/// Offset of the attribute within Gmp::data.
inline constexpr std::size_t kPerfDataOffset = 40;
inline constexpr std::size_t kPerfDataSize = kGmpDataSize - kPerfDataOffset;  // 192
using PerfData = std::array<std::byte, kPerfDataSize>;

inline std::span<const std::byte, kPerfDataSize> perf_data(const Gmp& gmp) {
  return std::span(gmp.data).subspan<kPerfDataOffset, kPerfDataSize>();
}
inline std::span<std::byte, kPerfDataSize> perf_data(Gmp& gmp) {
  return std::span(gmp.data).subspan<kPerfDataOffset, kPerfDataSize>();
}

/// PortCounters or PortCountersExtended. In a Set, `select` is the mask of the counters to write.
struct PortCounters {
  PortNum port;
  std::uint16_t select = 0;
  std::uint8_t select2 = 0;  // of PortCounters only; bit 0: PortXmitWait
  CounterValues values{};
  bool operator==(const PortCounters&) const = default;
};

/// The bits that select a group of counters in a Set.
inline constexpr std::uint16_t kSelectErrors = 0x0FFF;    // mask for PortCounters
inline constexpr std::uint16_t kSelectData = 0xF000;      // mask for PortCounters
inline constexpr std::uint8_t kSelectXmitWait = 0x01;     // mask for select2
inline constexpr std::uint16_t kSelectExtended = 0x00FF;  // mask for PortCountersExtended
/// Whether a Set of PortCounters, or of PortCountersExtended if `extended`, writes the counter.
bool selects(const PortCounters& set, bool extended, Counter counter);

/// Counters saturate: wider values are encoded as the maximum of the field.
PerfData encode_port_counters(const PortCounters& counters);
PortCounters decode_port_counters(std::span<const std::byte, kPerfDataSize> data);
/// Encodes the data counters, in 64 bits each.
PerfData encode_port_counters_extended(const PortCounters& counters);
PortCounters decode_port_counters_extended(std::span<const std::byte, kPerfDataSize> data);

}  // namespace weft
