// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State of the switches with adaptive routing that the manager stores from sweep to sweep: their
// settings, and the confirmed blocks of their tables.
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
#include "ib/vendor/ar_settings.h"
#include "ib/vendor/private_lfts.h"
#include "policy/ar_conf.h"
#include "sm/observed.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// Programming steps for a switch. plan_adaptive() determines their order.
enum class ArStep : std::uint8_t {
  kPrivateDefinitions,  // PrivateLFTDef
  kPrivateMaps,         // PrivateLFTMap
  kPrivateInputs,       // PortSLToPrivateLFTMap
  kGroups,              // ARGroupTable
  kEntries,             // ARLinearForwardingTableSX, of pLFT 0
  kPrivateEntries,      // ARLinearForwardingTableSX, of the other pLFTs
  kDirections,          // RNSubGroupDirectionTable
  kStrings,             // RNGenStringTable
  kReceived,            // RNRcvString
  kNotifyPorts,         // RNXmitPortMask
  kHashing,             // HBFConfig
  kPfrn,                // pFRNConfig
  kWeights,             // WHBFConfig
  kCopies,              // ARGroupTableCopy, after kGroups
  kOff,
  kPrivateOff,  // PrivateLFTInfo: no mode in use
  kPrivateOn,   // PrivateLFTInfo: a mode in use
  kOn,
  kReadBack,
  kForget,  // discards FRNs that were received with the previous routes
};
inline constexpr std::size_t kArTables = 13;  // the first steps write tables in blocks
constexpr std::size_t index_of(ArStep step) { return static_cast<std::size_t>(step); }

/// AR state of a switch, as read or confirmed.
struct ArHeld {
  bool answers = false;                // supports AdaptiveRoutingInfo
  bool refuses = false;                // announces AdaptiveRoutingInfo, but returns an error
  bool ignores_global_groups = false;  // does not accept AdaptiveRoutingInfo::global_groups
  bool in_doubt = false;               // a late Set may have overwritten a confirmed block
  bool has_foreign_entries = false;    // another manager enabled adaptive routing; HBF announced
  std::uint32_t hash_entries = 0;      // entries of ArState::kHash of another manager
  bool may_have_frns = true;           // a port changed since notifications were last cleared
  AdaptiveRoutingInfo info;
  SmpData info_data{};  // the bytes of `info`, with the bits that belong to no field
  /// Settings that the switch did not confirm, so that HBF or pFRN is disabled at the switch.
  std::optional<HbfConfig> refused_hashing;
  std::optional<PfrnConfig> refused_pfrn;
  std::optional<PrivateLftInfo> private_info;  // of private tables (pLFTs), if supported
  bool refuses_private_info = false;           // announces pLFTs, but returns an error
  bool selects_tables_by_sl = false;           // announces PortSLToPrivateLFTMap
  /// The group capacity that the switch returned for these settings.
  struct Computed {
    AdaptiveRoutingInfo settings;
    std::uint16_t groups = 0;
  };
  std::optional<Computed> computed;
  /// By table and block, the digest of the confirmed content; 0: the content is unknown.
  std::array<std::vector<std::uint64_t>, kArTables> tables;

  /// Whether the switch is AR-capable: it can store at least one group.
  bool is_ar_capable() const;
  /// The number of groups that the switch can store with the manager's settings, including group 0.
  std::uint16_t group_capacity() const { return computed ? computed->groups : info.group_capacity; }
  /// Whether the switch supports FRN: sending and processing notifications of unreachable LIDs.
  bool can_notify() const;
  /// Whether the switch announces hash-based forwarding (HBF).
  bool announces_hashing() const {
    return (info.more_capabilities & AdaptiveRoutingInfo::kHbfCapable) != 0;
  }
  /// Whether the switch supports HBF with the configured parameters, as far as is known.
  bool can_hash() const { return announces_hashing() && !refused_hashing; }
  /// Whether the switch supports weighted HBF with two sub-groups, and returns the number of groups
  /// that it can store with this setting.
  bool can_divide() const;
  /// Whether the switch supports weights of sub-groups.
  bool has_sub_group_weights() const {
    return (info.more_capabilities & AdaptiveRoutingInfo::kWhbfCapable) != 0;
  }
  /// Whether the switch announces persistent fault notifications (pFRN).
  bool announces_pfrn() const {
    return (info.more_capabilities & AdaptiveRoutingInfo::kPfrnCapable) != 0;
  }
  /// Whether the switch supports pFRN with the configured parameters, as far as is known.
  bool can_persist() const { return announces_pfrn() && !refused_pfrn; }
  void forget_tables() { tables = {}; }
  /// Stores the data of an answer with AdaptiveRoutingInfo.
  void store_info(const SmpData& data) {
    info = decode_adaptive_routing_info(data);
    info_data = data;
  }
  /// The data of a request with these settings; bits that belong to no field are as read.
  SmpData encoded(const AdaptiveRoutingInfo& settings) const { return encode(settings, info_data); }
};

/// AR states of all switches, by node GUID, stored from sweep to sweep.
class ArMemory {
 public:
  const ArHeld* find(Guid sw) const {
    const auto found = switches_.find(sw);
    return found == switches_.end() ? nullptr : &found->second;
  }
  ArHeld& at(Guid sw) { return switches_[sw]; }
  /// Number of switches with adaptive routing enabled.
  std::size_t count_on() const;
  /// Number of switches with adaptive routing and FRN enabled.
  std::size_t count_notifying() const;
  /// Number of switches with adaptive routing enabled and private tables in use.
  std::size_t count_private() const;
  bool any_on() const { return count_on() > 0; }
  /// Removes switches that are absent, and switches with unknown plain tables, which may have been
  /// reset.
  void distrust(const Observed& observed, const HeldTables& held);
  /// Call when late Sets may have overwritten blocks of any switch, so that ArTableReading reads
  /// these blocks.
  void doubt() {
    for (auto& [guid, held] : switches_) held.in_doubt = true;
  }
  /// Call when a port of the subnet changed its state, so that notifications may have been sent.
  void expect_frns() {
    for (auto& [guid, held] : switches_) held.may_have_frns = true;
  }
  /// Clears ArHeld::in_doubt of all switches.
  void settle() {
    for (auto& [guid, held] : switches_) held.in_doubt = false;
  }

 private:
  std::unordered_map<Guid, ArHeld> switches_;
};

/// The configured settings of a switch that do not depend on the routes. Other fields have the
/// values that were read.
AdaptiveRoutingInfo configured(const ArHeld& held, const ArConf& conf, Guid guid);

/// The fields that this switch hashes: those of the configuration, without the fields for which the
/// switch announces no capability.
std::uint64_t hash_fields(const ArHeld& held, const ArConf& conf);
/// The SLs that use hash-based forwarding at this switch; 0 if it does not support HBF or hashes no
/// field.
std::uint16_t hash_sls(const ArHeld& held, const ArConf& conf, Guid guid);
/// Sets or clears a flag of AdaptiveRoutingInfo::more_enabled.
void set_enabled(AdaptiveRoutingInfo& info, std::uint8_t setting, bool enabled);

/// The number of AR groups that each switch can use, by SwitchId; 0 if the switch is not
/// AR-capable, its adaptive routing is disabled by configuration, or it does not support the
/// selection of SLs that the configuration requires.
std::vector<std::uint16_t> group_capacities(const Fabric& fabric, const ArMemory& known,
                                            const ArConf& conf);

/// By SwitchId, 1 if groups of the switch are divided: the switch supports it, it is configured,
/// and at least one SL uses HBF. Otherwise 0.
std::vector<std::uint8_t> dividing(const Fabric& fabric, const ArMemory& known, const ArConf& conf);

/// By SwitchId, 1 if the switch supports FRN and its adaptive routing is enabled by configuration,
/// otherwise 0.
std::vector<std::uint8_t> notifying(const Fabric& fabric, const ArMemory& known,
                                    const ArConf& conf);

}  // namespace weft
