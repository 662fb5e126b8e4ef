// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Unhealthy ports: the conditions that are detected, their limits, and the actions. Names and
// limits are those of OpenSM 5.24 (hm_*).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sm/keys/key_files.h"

namespace weft {

enum class HealthCondition : std::uint8_t {
  kReboot,        // the node restarted
  kFlapping,      // the link went down
  kUnresponsive,  // a request was not answered
  kNoisy,         // the node sent too many traps
  kSetErr,        // a Set was refused
  kIllegal,       // an answer had impossible values
  kManual,        // marked by the policy file
  // Conditions that a switch detects at its port; their action is always kReport
  kCreditWatchdog,  // too long without credits
  kSymmetry,        // symmetry enforcement
  kRawBer,          // a bit error rate exceeded its threshold
  kEffectiveBer,
  kSymbolBer,
  kContainAndDrain
};
inline constexpr std::size_t kHealthConditions = 13;
/// The first conditions have a configurable action.
inline constexpr std::size_t kConditionsWithAction = 7;
/// Whether a switch detects the condition at its port.
constexpr bool is_detected_by_switch(HealthCondition condition) {
  return static_cast<std::size_t>(condition) >= kConditionsWithAction;
}
/// As in the names of the configuration keys: "reboot".
std::string_view name(HealthCondition condition);

/// In order of their effect: if a port has several conditions, the strongest action applies.
enum class HealthAction : std::uint8_t {
  kIgnore,      // the condition is not counted
  kReport,      // the port is listed, logged and reported as event
  kIsolate,     // as kReport; also no route uses the link
  kNoDiscover,  // as kReport; also nodes behind the port are not discovered
  kDisable      // as kReport; also the near switch port is disabled
};
std::string_view name(HealthAction action);
std::optional<HealthAction> parse_health_action(std::string_view word);

/// A line of hm_ports_health_policy_file.
struct HealthMark {
  std::optional<CableEnd> end;  // none: all ports
  bool is_healthy = false;
  auto operator<=>(const HealthMark&) const = default;
};

/// A condition applies if it occurred in at least `limit` of the last `window` sweeps.
struct SweepLimit {
  unsigned limit = 1;
  unsigned window = 1;  // at most 31
};
/// A condition applies if it occurred at least `limit` times within `period`.
struct TimeLimit {
  unsigned limit = 1;
  TimeNs period{};
};

struct HealthOptions {
  /// The minimum time for which a reported port stays unhealthy.
  static constexpr TimeNs kUnhealthyMin = std::chrono::seconds(60);

  using Actions = std::array<HealthAction, kConditionsWithAction>;  // by HealthCondition
  static constexpr Actions kAllReport{
      HealthAction::kReport, HealthAction::kReport, HealthAction::kReport, HealthAction::kReport,
      HealthAction::kReport, HealthAction::kReport, HealthAction::kReport};
  bool checks = false;              // hm_unhealthy_ports_checks
  Actions ca_actions = kAllReport;  // actions on ports of CAs and routers
  Actions switch_actions = kAllReport;
  TimeLimit reboots{10, std::chrono::seconds(900)};
  TimeLimit traps{60, std::chrono::seconds(90)};
  unsigned illegal = 1;  // kIllegal applies from this number of answers
  SweepLimit set_errors{5, 7};
  SweepLimit no_responses{5, 7};
  SweepLimit flapping{5, 30};
  /// In the order of the file; a later mark of a port replaces an earlier mark.
  std::vector<HealthMark> marks;

  HealthAction action(HealthCondition condition, bool is_switch) const {
    if (is_detected_by_switch(condition)) return HealthAction::kReport;
    return (is_switch ? switch_actions : ca_actions)[static_cast<std::size_t>(condition)];
  }
};

}  // namespace weft
