// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State of the AR-capable switches that the manager keeps from sweep to sweep: their settings, and
// the blocks of their tables that are confirmed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.h"
#include "ib/adaptive.h"
#include "policy/ar_conf.h"
#include "sm/observed.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// Programming steps for one switch, in this order unless stated otherwise.
enum class ArStep : std::uint8_t {
  kGroups,       // ARGroupTable
  kEntries,      // ARLinearForwardingTableSX
  kDirections,   // RNSubGroupDirectionTable
  kStrings,      // RNGenStringTable
  kReceived,     // RNRcvString
  kNotifyPorts,  // RNXmitPortMask
  kHashing,      // HBFConfig
  kPfrn,         // pFRNConfig
  kWeights,      // WHBFConfig
  kCopies,       // ARGroupTableCopy, after kGroups
  kOff,
  kOn,
  kReadBack,
  kForget,  // discards FRNs received under the previous routes
};
inline constexpr std::size_t kArTables = 9;  // the first steps write tables in blocks

/// AR state of one switch, as read or confirmed.
struct ArHeld {
  bool answers = false;                // supports AdaptiveRoutingInfo
  bool refuses = false;                // announces it, but returns an error
  bool ignores_global_groups = false;  // does not keep that setting
  bool in_doubt = false;               // a late Set may have overwritten a confirmed block
  AdaptiveRoutingInfo info;
  /// The group capacity that the switch returned for these settings.
  struct Computed {
    AdaptiveRoutingInfo settings;
    std::uint16_t groups = 0;
  };
  std::optional<Computed> computed;
  /// By table, a digest of each confirmed block; 0: the content is unknown.
  std::array<std::vector<std::uint64_t>, kArTables> tables;

  bool can_choose() const;
  /// The number of groups that the switch can store, group 0 included, with the manager's settings.
  std::uint16_t group_capacity() const { return computed ? computed->groups : info.group_capacity; }
  /// Whether the switch supports FRN: it sends and processes notifications of unreachable LIDs.
  bool can_notify() const;
  /// Whether the switch supports hash-based forwarding (HBF).
  bool can_hash() const { return (info.more_capabilities & AdaptiveRoutingInfo::kHbfCapable) != 0; }
  /// Whether the switch supports weighted HBF with two sub-groups, and returns how many groups it
  /// can then store.
  bool can_divide() const;
  /// Whether the switch supports weights of sub-groups.
  bool can_weigh() const {
    return (info.more_capabilities & AdaptiveRoutingInfo::kWhbfCapable) != 0;
  }
  /// Whether the switch supports persistent fault notifications (pFRN).
  bool can_persist() const {
    return (info.more_capabilities & AdaptiveRoutingInfo::kPfrnCapable) != 0;
  }
  void forget_tables() { tables = {}; }
};

/// AR states of all switches, kept from sweep to sweep, by node GUID.
class ArMemory {
 public:
  const ArHeld* find(Guid sw) const {
    const auto found = switches_.find(sw);
    return found == switches_.end() ? nullptr : &found->second;
  }
  ArHeld& at(Guid sw) { return switches_[sw]; }
  /// Switches with adaptive routing enabled.
  std::size_t count_on() const;
  /// Switches with adaptive routing and FRN enabled.
  std::size_t count_notifying() const;
  bool any_on() const { return count_on() > 0; }
  /// Removes switches that are absent, or may have been reset because their plain tables are
  /// unknown.
  void distrust(const Observed& observed, const HeldTables& held);
  /// To be called when late Sets may have overwritten blocks of any switch: ArTableReading then
  /// reads these blocks.
  void doubt() {
    for (auto& [guid, held] : switches_) held.in_doubt = true;
  }
  void settle() {
    for (auto& [guid, held] : switches_) held.in_doubt = false;
  }

 private:
  std::unordered_map<Guid, ArHeld> switches_;
};

/// The settings of a switch that do not depend on the routes; other fields have the values read.
AdaptiveRoutingInfo configured(const ArHeld& held, const ArConf& conf, Guid guid);

/// The SLs that use hash-based forwarding at this switch, if it supports HBF.
std::uint16_t hash_sls(const ArConf& conf, Guid guid);
/// Sets or clears a flag of AdaptiveRoutingInfo::more_enabled.
void set_enabled(AdaptiveRoutingInfo& info, std::uint8_t setting, bool enabled);

/// By SwitchId, the number of AR groups; 0 if not AR-capable or disabled by configuration.
std::vector<std::uint16_t> group_capacities(const Fabric& fabric, const ArMemory& known,
                                            const ArConf& conf);

/// By SwitchId, 1 if the switch divides groups: supported, configured, and with SLs that HBF
/// serves.
std::vector<std::uint8_t> dividing(const Fabric& fabric, const ArMemory& known, const ArConf& conf);

/// By SwitchId, 1 if AR-capable, enabled by configuration, and FRN-capable.
std::vector<std::uint8_t> notifying(const Fabric& fabric, const ArMemory& known,
                                    const ArConf& conf);

}  // namespace weft
