// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fast_recovery_conf_file: actions of switches, without the manager, on ports that exceed a
// threshold of the credit watchdog or of a bit error rate, and methods of port recovery. Settings
// belong to profiles, and port groups get profiles.
//   fast-recovery
//     trigger: effective-ber
//     profile: 1
//     group: ALL_CAS
//     action: recovery
//     thresholds: error
//     error: 5e-9
//   end-fast-recovery
//   port-recovery
//     methods: host-relock, transmitter-off
//     draining: 10
//   end-port-recovery
// The headers of NVIDIA's OpenSM have the option, but not the format of its file: this format is
// Weft's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "ib/vendor/port_recovery.h"
#include "policy/port_groups.h"

namespace weft {

/// Values of the options fast_recovery_enabled and port_recovery_policy_enabled.
enum class RecoverySetting : std::uint8_t {
  kIgnore,  // no requests
  kDisable,
  kEnable
};

enum class RecoveryTrigger : std::uint8_t { kCreditWatchdog, kRawBer, kEffectiveBer, kSymbolBer };
inline constexpr std::size_t kRecoveryTriggers = 4;

/// A paragraph of the file. Thresholds, sampling and window that the paragraph does not contain
/// stay as stored in the switch; action, active thresholds and traps have the defaults below.
struct FastRecoveryRule {
  RecoveryAction action = RecoveryAction::kRecovery;
  ActiveThresholds active_thresholds = ActiveThresholds::kError;
  bool traps = true;  // send a trap at each active threshold
  std::optional<RecoveryThreshold> error, warning, normal;
  std::optional<std::uint8_t> sampling;  // interval in units of 10 ms
  std::optional<std::uint8_t> window;    // of the credit watchdog, in samples
  /// Thresholds that the paragraph does not contain become the default thresholds of the switch.
  bool default_values = false;
  bool operator==(const FastRecoveryRule&) const = default;
};

/// Rules by trigger. A trigger without a rule is disabled.
using FastRecoveryRules = std::array<std::optional<FastRecoveryRule>, kRecoveryTriggers>;

/// Methods and times of a port recovery policy.
struct PortRecoveryRule {
  std::optional<std::uint16_t> methods{};  // bits of PortRecoveryPolicy; nullopt: all supported
  // Values that the paragraph does not contain stay as stored in the switch
  std::optional<std::uint8_t> draining_time{};    // in units of 10 ms
  std::optional<std::uint16_t> link_down_time{};  // in units of 10 ms
  bool operator==(const PortRecoveryRule&) const = default;
};

/// The ports that get a profile.
struct ProfileOfPorts {
  std::uint8_t profile = 0;
  std::string group;  // a port group; empty: all ports
  bool operator==(const ProfileOfPorts&) const = default;
};

/// Rules by profile. Profiles without rules are not changed.
struct RecoveryRules {
  std::array<std::optional<FastRecoveryRules>, kRecoveryProfiles> triggers{};
  std::array<std::optional<PortRecoveryRule>, kRecoveryProfiles> policies{};
  /// A port gets the profile of the last entry that applies; without an entry it keeps its profile.
  std::vector<ProfileOfPorts> trigger_ports, policy_ports;
  bool operator==(const RecoveryRules&) const = default;
};

/// The rules without a file: profile 0 for all ports, in which each trigger acts at its error
/// threshold, and all methods are used.
RecoveryRules default_recovery_rules();

/// Reads the rules. Without paragraphs of a kind, all ports get profile 0; its triggers are then
/// disabled, and all methods are used. Fails with kEnvironment if the file cannot be read; with
/// kBadInput, with all errors in the message: an unknown qualifier, a fast-recovery paragraph
/// without a trigger, a second paragraph of a trigger or of port recovery in a profile, an invalid
/// value, an undefined port group, several profiles without a group, a window of another trigger
/// than the credit watchdog, default values of the credit watchdog, thresholds that are not in the
/// order error, warning, normal.
Result<RecoveryRules> read_fast_recovery_file(const std::string& path, const PortGroups& groups);

/// Applies the rule of a trigger to the settings of a switch; nullopt disables the trigger.
/// `defaults` has the default thresholds.
void apply(const std::optional<FastRecoveryRule>& rule, const FastRecoveryConfig& defaults,
           FastRecoveryConfig& config);
/// Applies a rule to the policy of a switch. Methods that the switch does not support are left out.
void apply(const PortRecoveryRule& rule, PortRecoveryPolicy& policy);

/// The profiles by PortId of switch ports; nullopt: the port keeps its profile. A switch port
/// belongs to a group if the port itself or the CA port cabled to it belongs to the group.
std::vector<std::optional<std::uint8_t>> profiles_of_ports(const std::vector<ProfileOfPorts>& ports,
                                                           const PortGroups& groups,
                                                           const Fabric& fabric);

}  // namespace weft
