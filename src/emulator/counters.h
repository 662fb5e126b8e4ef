// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counters of events on an emulated fabric, so that tests can assert, for example, that no LFT
// block is written.
#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"
#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

/// Reason why an SMP or a GMP was dropped.
enum class Drop : std::uint8_t {
  kMalformed,   // hop fields out of range, or no class or method of SMPs
  kPortDown,    // no such port, no cable, or a link that is down
  kNotASwitch,  // a path that continues at a CA
  kUnrouted,    // a LID without an entry, above LinearFDBTop, or not a unicast LID
  kWrongLid,    // LID-routed to a port without that LID
  kLooped,      // more hops than hops_max
  kDeadNode,    // at or from a node that is switched off
  kPathBroken,  // the path changed while the packet was in flight
  kFault,       // injected fault
  kBadMkey,     // the agent refuses the M_Key
  kQueueFull,   // more than DeviceBehavior::queue_max
  kNoReceiver   // no program is attached, its queue is full, or the agent does not respond
};
inline constexpr std::size_t kDropKinds = 12;

/// Counters of FRNs between switches.
struct NotificationCounters {
  std::uint64_t generated = 0;  // (switch, group) pairs
  std::uint64_t sent = 0;       // counted on each cable
  std::uint64_t consumed = 0;   // notifications that removed a port from a group
  std::uint64_t passed_on = 0;  // forwarded to further switches
  TimeNs last_use{-1};  // time of the last notification consumed or forwarded; negative: none
};

struct EmulatorCounters {
  std::uint64_t sent = 0;       // SMPs sent by SMs
  std::uint64_t answered = 0;   // responses of agents
  std::uint64_t delivered = 0;  // SMPs delivered to SMs
  std::uint64_t traps = 0;      // sent by agents, repetitions included
  std::uint64_t gmps_sent = 0;  // GMPs sent by attached programs
  std::uint64_t gmps_delivered = 0;
  NotificationCounters notifications;
  /// Sets that changed NeighborMTU or OperationalVLs of a port in ARMED or ACTIVE.
  std::uint64_t live_link_changes = 0;
  std::uint64_t doubled = 0;  // SMPs and GMPs that were delivered twice
  std::uint64_t late = 0;     // SMPs and GMPs that were delayed
  std::array<std::uint64_t, kDropKinds> dropped{};

  /// Requests that reached an agent, by attribute and method; see requests(). The attributes of the
  /// specification are below 0x40, those of vendors from 0xFF00 on; all others share a slot.
  static constexpr std::size_t kSpecified = 0x40, kOfVendors = 0x100;
  static constexpr std::size_t kAttributes = kSpecified + kOfVendors + 1, kOther = kAttributes - 1;
  static constexpr std::size_t slot(AttributeId attribute) {
    const auto id = static_cast<std::size_t>(attribute);
    if (id < kSpecified) return id;
    return id >= 0x10000 - kOfVendors ? kSpecified + id % kOfVendors : kOther;
  }
  std::array<std::uint64_t, kAttributes> gets{};
  std::array<std::uint64_t, kAttributes> sets{};
  std::uint64_t bad_status = 0;  // responses with a status other than good

  std::uint64_t drops(Drop why) const { return dropped[static_cast<std::size_t>(why)]; }
  /// Number of requests with this method, Get or Set, and this attribute, which must not be one of
  /// those that share a slot.
  std::uint64_t requests(Method method, AttributeId attribute) const {
    const std::size_t index = slot(attribute);
    CHECK(index != kOther && (method == Method::kGet || method == Method::kSet));
    return (method == Method::kGet ? gets : sets)[index];
  }
  std::uint64_t lft_blocks_written() const {
    return requests(Method::kSet, AttributeId::kLinearForwardingTable);
  }
};

}  // namespace weft
