// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fast_recovery_conf_file: actions of switches, without the manager, on ports that exceed a
// threshold of the credit watchdog or of a bit error rate.
//   fast-recovery
//     trigger: effective-ber
//     action: recovery
//     thresholds: error
//     error: 5e-9
//   end-fast-recovery
// The headers of NVIDIA's OpenSM have the option, but not the format of its file: this format is
// Weft's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "ib/vendor/port_recovery.h"

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
  bool operator==(const FastRecoveryRule&) const = default;
};

/// Rules by trigger. A trigger without a rule is disabled.
using FastRecoveryRules = std::array<std::optional<FastRecoveryRule>, kRecoveryTriggers>;

/// The rules without a file: each trigger acts at its error threshold.
FastRecoveryRules default_recovery_rules();

/// Reads the rules. Fails with kEnvironment if the file cannot be read; with kBadInput, with all
/// errors in the message: an unknown qualifier, a paragraph without a trigger, a second paragraph
/// of a trigger, an invalid value, a window of another trigger than the credit watchdog, thresholds
/// that are not in the order error, warning, normal.
Result<FastRecoveryRules> read_fast_recovery_file(const std::string& path);

/// Applies the rule of a trigger to the settings of a switch; nullopt disables the trigger.
void apply(const std::optional<FastRecoveryRule>& rule, FastRecoveryConfig& config);

}  // namespace weft
