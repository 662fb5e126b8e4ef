// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/port_recovery.h"

#include "ib/wire.h"

namespace weft {
namespace {

/// Offsets are in bits, from the most significant bit of the first byte.
template <class Op, class Config>
void layout_triggers(Op field, Config& config) {
  field(8 * 8, 1, config.trap_error);
  field(8 * 8 + 1, 1, config.trap_warning);
  field(8 * 8 + 2, 1, config.trap_normal);
  field(8 * 11 + 2, 2, config.action);
  field(8 * 11 + 6, 2, config.active_thresholds);
}

template <class Op, class Config>
void layout_credit(Op field, Config& config) {
  layout_triggers(field, config);
  field(8 * 15 + 3, 5, config.error.mantissa);
  field(8 * 19 + 3, 5, config.warning.mantissa);
  field(8 * 23 + 3, 5, config.normal.mantissa);
  field(8 * 27, 8, config.window);
  field(8 * 31, 8, config.sampling);
}

template <class Op, class Config>
void layout_ber(Op field, Config& config) {
  layout_triggers(field, config);
  field(8 * 14 + 4, 4, config.error.mantissa);
  field(8 * 15, 8, config.error.exponent);
  field(8 * 18 + 4, 4, config.warning.mantissa);
  field(8 * 19, 8, config.warning.exponent);
  field(8 * 22 + 4, 4, config.normal.mantissa);
  field(8 * 23, 8, config.normal.exponent);
  field(8 * 24, 32, config.window);
  field(8 * 31, 8, config.sampling);
}

template <class Op, class Policy>
void layout_policy(Op field, Policy& policy) {
  field(0, 16, policy.supported);
  field(8 * 2, 16, policy.enabled);
  field(8 * 7, 8, policy.draining_time);
  field(8 * 10, 16, policy.link_down_time);
}

}  // namespace

bool is_above(const RecoveryThreshold& a, const RecoveryThreshold& b) {
  if (a.mantissa == 0 || b.mantissa == 0) return a.mantissa > b.mantissa;
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa > b.mantissa;
}

FastRecoveryConfig decode_credit_watchdog(std::span<const std::byte, kSmpDataSize> data) {
  FastRecoveryConfig config;
  layout_credit(wire::FieldReader(data.data()), config);
  return config;
}

FastRecoveryConfig decode_ber(std::span<const std::byte, kSmpDataSize> data) {
  FastRecoveryConfig config;
  layout_ber(wire::FieldReader(data.data()), config);
  return config;
}

void write_credit_watchdog(const FastRecoveryConfig& config, SmpData& data) {
  layout_credit(wire::FieldWriter(data.data()), config);
}

void write_ber(const FastRecoveryConfig& config, SmpData& data) {
  layout_ber(wire::FieldWriter(data.data()), config);
}

PortRecoveryPolicy decode_port_recovery_policy(std::span<const std::byte, kSmpDataSize> data) {
  PortRecoveryPolicy policy;
  layout_policy(wire::FieldReader(data.data()), policy);
  return policy;
}

void write_port_recovery_policy(const PortRecoveryPolicy& policy, SmpData& data) {
  layout_policy(wire::FieldWriter(data.data()), policy);
}

PortProfiles decode_port_profiles(std::span<const std::byte, kSmpDataSize> data) {
  PortProfiles profiles;
  for (unsigned port = 0; port < PortProfiles::kPorts; ++port)
    profiles.of[port] = static_cast<std::uint8_t>(wire::read_bits(data.data(), 4 * port, 4));
  return profiles;
}

SmpData encode(const PortProfiles& profiles) {
  SmpData data{};
  for (unsigned port = 0; port < PortProfiles::kPorts; ++port)
    wire::write_bits(data.data(), 4 * port, 4, profiles.of[port]);
  return data;
}

}  // namespace weft
