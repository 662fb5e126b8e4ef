// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of fast recovery and port recovery policies of switches, as configured by
// fast_recovery_enabled, fast_recovery_conf_file and port_recovery_policy_enabled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "policy/fast_recovery_file.h"
#include "sm/devices/setting_programming.h"
#include "sm/observed.h"
#include "sm/options.h"

namespace weft {

class RecoverySettings final : public VendorSettings {
 public:
  /// `observed` and `options` must outlive this object.
  RecoverySettings(const Observed& observed, const SmOptions& options);

  std::uint8_t count() const override { return static_cast<std::uint8_t>(entries_.size()); }
  Address address(std::uint8_t setting) const override;
  bool concerns(std::uint32_t sw) const override;
  bool applies(std::uint8_t setting, std::uint32_t sw,
               const DeviceCapabilities& announced) const override;
  void note_read(std::uint8_t setting, std::uint32_t sw, const SmpData& data) override;
  SmpData wanted(std::uint8_t setting, std::uint32_t sw, const SmpData& read) const override;
  std::string shortcoming(std::uint8_t setting, std::uint32_t sw) const override;

 private:
  enum class Part : std::uint8_t { kTrigger, kDefaults, kPolicy, kProfiles };
  /// A setting of fast recovery or of port recovery policies.
  struct Entry {
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    Part part{};
    bool is_fast = false;  // true: fast recovery; false: port recovery policies
    unsigned announced_by = 0;
    std::uint8_t which = 0;  // RecoveryTrigger, or the block of kProfiles
    std::uint8_t profile = 0;
  };
  /// The profiles of ports for a feature.
  struct Assignment {
    std::optional<std::uint8_t> of_all;                // one profile for all ports
    std::vector<std::optional<std::uint8_t>> by_port;  // otherwise by PortId
  };

  void add_triggers(std::uint8_t profile, const FastRecoveryRules& rules);
  void add_profiles(bool is_fast);
  Assignment assignment(const std::vector<ProfileOfPorts>& ports) const;
  SmpData with_trigger(const Entry& entry, std::uint32_t sw, SmpData data) const;
  SmpData with_policy(const Entry& entry, SmpData data) const;
  SmpData with_profiles(const Entry& entry, std::uint32_t sw, const SmpData& data) const;
  unsigned port_count(std::uint32_t sw) const { return observed_.nodes[sw].info.port_count; }

  const Observed& observed_;
  const SmOptions& options_;
  RecoveryRules rules_;
  Assignment trigger_ports_, policy_ports_;
  std::vector<Entry> entries_;  // in the order of the requests
  /// Default thresholds by switch, profile and RecoveryTrigger.
  using DefaultsKey = std::tuple<std::uint32_t, std::uint8_t, std::uint8_t>;
  std::map<DefaultsKey, FastRecoveryConfig> defaults_;
};

}  // namespace weft
