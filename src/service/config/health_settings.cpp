// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/health_settings.h"

#include <string_view>
#include <utility>

#include "sm/health/health_policy_file.h"

namespace weft {
namespace {

HealthAction action_of(std::string_view word) {
  return *parse_health_action(word);  // cannot fail: assign() has checked the word
}

/// The actions for CA or switch ports, in the order of HealthCondition.
#define WEFT_HEALTH_ACTIONS(kind)                            \
  HealthOptions::Actions {                                   \
    action_of(settings.hm_##kind##_reboot_action),           \
        action_of(settings.hm_##kind##_flapping_action),     \
        action_of(settings.hm_##kind##_unresponsive_action), \
        action_of(settings.hm_##kind##_noisy_action),        \
        action_of(settings.hm_##kind##_seterr_action),       \
        action_of(settings.hm_##kind##_illegal_action),      \
        action_of(settings.hm_##kind##_manual_action)        \
  }

/// Narrows without a check, because the ranges of the keys fit the types.
SweepLimit sweep_limit(std::uint64_t limit, std::uint64_t window) {
  return {static_cast<unsigned>(limit), static_cast<unsigned>(window)};
}

TimeLimit time_limit(std::uint64_t limit, std::uint64_t seconds) {
  return {static_cast<unsigned>(limit), std::chrono::seconds(seconds)};
}

Status check_window(std::string_view key, const SweepLimit& limit) {
  if (limit.limit <= limit.window) return {};
  return fail(Code::kBadInput, "{}: found {}, expected at most {}_window, which is {}", key,
              limit.limit, key, limit.window);
}

}  // namespace

Result<HealthOptions> health_options(const Settings& settings) {
  HealthOptions options;
  options.checks = settings.hm_unhealthy_ports_checks;
  options.ca_actions = WEFT_HEALTH_ACTIONS(ca);
  options.switch_actions = WEFT_HEALTH_ACTIONS(sw);
  options.reboots = time_limit(settings.hm_num_reboots, settings.hm_reboots_period_secs);
  options.traps = time_limit(settings.hm_num_traps, settings.hm_num_traps_period_secs);
  options.illegal = static_cast<unsigned>(settings.hm_num_illegal);
  options.set_errors =
      sweep_limit(settings.hm_num_set_err_sweeps, settings.hm_num_set_err_sweeps_window);
  options.no_responses =
      sweep_limit(settings.hm_num_no_resp_sweeps, settings.hm_num_no_resp_sweeps_window);
  options.flapping =
      sweep_limit(settings.hm_num_flapping_sweeps, settings.hm_num_flapping_sweeps_window);
  for (const auto& [key, limit] : {std::pair("hm_num_set_err_sweeps", options.set_errors),
                                   std::pair("hm_num_no_resp_sweeps", options.no_responses),
                                   std::pair("hm_num_flapping_sweeps", options.flapping)})
    if (const auto status = check_window(key, limit); !status) return forward(status);
  if (!options.checks || settings.hm_ports_health_policy_file.empty()) return options;
  auto marks = read_health_policy(settings.hm_ports_health_policy_file);
  if (!marks) return forward(marks);
  options.marks = std::move(*marks);
  return options;
}

#undef WEFT_HEALTH_ACTIONS

}  // namespace weft
