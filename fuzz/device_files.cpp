// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as each kind of file about devices and ports: fast recovery, device
// configuration, tenants, health policy, congestion control algorithms and policy. The first byte
// selects the reader.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "check_result.h"
#include "fuzz_target.h"
#include "policy/congestion_policy.h"
#include "policy/device_configuration.h"
#include "policy/fast_recovery_file.h"
#include "policy/tenants.h"
#include "sm/health/health_policy_file.h"
#include "small_fabric.h"

namespace {

/// Checks that the thresholds are in order (error above warning above normal), that only the credit
/// watchdog has a window, and that encoding into CreditWatchdogConfig or BERConfig and decoding
/// change no value.
void check_rules(const weft::FastRecoveryRules& rules) {
  for (std::size_t trigger = 0; trigger < rules.size(); ++trigger) {
    if (!rules[trigger]) continue;
    const weft::FastRecoveryRule& rule = *rules[trigger];
    const auto& [error, warning, normal] = std::tie(rule.error, rule.warning, rule.normal);
    if ((error && warning && !is_above(*error, *warning)) ||
        (warning && normal && !is_above(*warning, *normal)) ||
        (error && normal && !is_above(*error, *normal)))
      std::abort();
    const bool is_credit = trigger == 0;
    if (is_credit ? rule.default_values : rule.window.has_value()) std::abort();
    weft::SmpData data{};
    weft::FastRecoveryConfig config;
    weft::apply(rule, config, config);
    is_credit ? write_credit_watchdog(config, data) : write_ber(config, data);
    if (config != (is_credit ? weft::decode_credit_watchdog(data) : weft::decode_ber(data)))
      std::abort();
  }
}

/// Checks the rules of each profile, and that a policy that was written has the same values.
void check_recovery(const weft::RecoveryRules& rules, const weft::Fabric& fabric) {
  for (std::size_t profile = 0; profile < weft::kRecoveryProfiles; ++profile) {
    if (rules.triggers[profile]) check_rules(*rules.triggers[profile]);
    if (!rules.policies[profile]) continue;
    weft::PortRecoveryPolicy policy{.supported = 0xF};
    weft::apply(*rules.policies[profile], policy);
    weft::SmpData data{};
    weft::write_port_recovery_policy(policy, data);
    if (weft::decode_port_recovery_policy(data) != policy) std::abort();
  }
  for (const auto* ports : {&rules.trigger_ports, &rules.policy_ports})
    for (const auto& profile : weft::profiles_of_ports(*ports, {}, fabric))
      if (profile && *profile >= weft::kRecoveryProfiles) std::abort();
}

void check_tenants(const weft::Tenants& tenants) {
  for (const std::uint64_t guid : {0x100ull, 0x0002c90000000101ull})
    for (const auto of : {tenants.of_port(weft::Guid(guid)), tenants.of_virtual(weft::Guid(guid))})
      if (of && *of >= tenants.all.size()) std::abort();
}

/// Checks that parameters fit in the attribute, and that values are in range.
void check_algorithms(const weft::CongestionAlgorithms& algorithms) {
  for (const weft::CongestionAlgorithm& algorithm : algorithms) {
    if (algorithm.parameters.size() > weft::PpccParameters::kValues) std::abort();
    for (const weft::CongestionParameter& parameter : algorithm.parameters)
      if (parameter.value < parameter.least || parameter.value > parameter.most) std::abort();
  }
}

/// Checks that each SL of a port is in one setting only.
void check_congestion(const std::string& path, const weft::Fabric& fabric) {
  weft::CongestionPolicy policy;
  policy.algorithms = {{"reactive", {0x101, 1, 0}, {{"rate", 5, 1, 9}, {"gain"}}},
                       {"plain", {0x102, 1, 0}, {}}};
  const auto status = weft::read_congestion_policy(path, policy);
  if (!status && status.error().message.empty()) std::abort();
  if (!status) return;
  for (const auto& [port, settings] : weft::congestion_settings(policy, fabric, 0)) {
    unsigned seen = 0;
    for (const weft::CongestionSetting& setting : settings) {
      if (setting.sls == 0 || (seen & setting.sls) != 0) std::abort();
      if (setting.values.size() != policy.algorithms[setting.algorithm].parameters.size())
        std::abort();
      seen |= setting.sls;
    }
  }
}

}  // namespace

WEFT_FUZZ_TARGET(device_files, data, size) {
  static const weft::Fabric fabric = small_fabric();
  static const std::string path = "/dev/shm/weft-fuzz-devices-" + std::to_string(getpid());
  if (size == 0) return 0;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  weft::RecoveryRules rules;
  weft::DeviceConfiguration devices;
  std::shared_ptr<const weft::Tenants> tenants;
  std::vector<weft::HealthMark> marks;
  weft::CongestionAlgorithms algorithms;
  switch (data[0] % 6) {
    case 0:
      if (take(weft::read_fast_recovery_file(path, {}), rules)) check_recovery(rules, fabric);
      break;
    case 1:
      if (take(weft::read_device_configuration(path, {}), devices) && !devices.empty() &&
          settings_of_devices(devices, {}, fabric).size() != fabric.node_count())
        std::abort();
      break;
    case 2:
      if (take(weft::read_tenants(path), tenants)) check_tenants(*tenants);
      break;
    case 3:
      take(weft::read_health_policy(path), marks);
      break;
    case 4:
      if (take(weft::read_congestion_algorithms(path), algorithms)) check_algorithms(algorithms);
      break;
    default:
      check_congestion(path, fabric);
  }
  return 0;
}
