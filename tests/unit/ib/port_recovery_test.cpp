// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of fast recovery, port recovery policies and profiles of ports, compared with bytes.
#include "ib/vendor/port_recovery.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ib/extended_port_info.h"
#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/unhealthy_reason.h"
#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

void put(SmpData& data, unsigned at, unsigned value) { data[at] = static_cast<std::byte>(value); }

TEST(PortRecoveryWire, CreditWatchdogConfigHasTheSpecifiedFields) {
  SmpData data{};
  put(data, 8, 0xA0);   // traps at the error and normal thresholds
  put(data, 11, 0x31);  // action: recovery; active threshold: error
  put(data, 15, 31);
  put(data, 19, 10);
  put(data, 23, 5);
  put(data, 27, 7);
  put(data, 31, 100);
  const FastRecoveryConfig config{.trap_error = true,
                                  .trap_warning = false,
                                  .trap_normal = true,
                                  .action = RecoveryAction::kRecovery,
                                  .active_thresholds = ActiveThresholds::kError,
                                  .error = {31, 0},
                                  .warning = {10, 0},
                                  .normal = {5, 0},
                                  .window = 7,
                                  .sampling = 100};
  EXPECT_EQ(decode_credit_watchdog(data), config);
  SmpData written{};
  write_credit_watchdog(config, written);
  EXPECT_EQ(written, data);
}

TEST(PortRecoveryWire, BerHasMantissasAndExponents) {
  SmpData data{};
  put(data, 8, 0x40);   // trap at the warning threshold
  put(data, 11, 0x12);  // action: physical; active thresholds: warning and normal
  put(data, 14, 9);
  put(data, 15, 6);
  put(data, 18, 5);
  put(data, 19, 12);
  put(data, 22, 1);
  put(data, 23, 17);
  put(data, 26, 0x12);
  put(data, 27, 0x34);
  put(data, 31, 10);
  const FastRecoveryConfig config{.trap_error = false,
                                  .trap_warning = true,
                                  .trap_normal = false,
                                  .action = RecoveryAction::kPhysical,
                                  .active_thresholds = ActiveThresholds::kWarningAndNormal,
                                  .error = {9, 6},
                                  .warning = {5, 12},
                                  .normal = {1, 17},
                                  .window = 0x1234,
                                  .sampling = 10};
  EXPECT_EQ(decode_ber(data), config);
  SmpData written{};
  write_ber(config, written);
  EXPECT_EQ(written, data);
  EXPECT_EQ(ber_modifier(3, BerType::kSymbol), 0x203u);
}

TEST(PortRecoveryWire, PolicyAndProfilesHaveTheSpecifiedFields) {
  SmpData data{};
  put(data, 1, 0xF);
  put(data, 3, 0x5);
  put(data, 7, 100);
  put(data, 10, 0x0B);
  put(data, 11, 0xB8);
  const PortRecoveryPolicy policy{0xF, 0x5, 100, 3000};
  EXPECT_EQ(decode_port_recovery_policy(data), policy);
  SmpData written{};
  write_port_recovery_policy(policy, written);
  EXPECT_EQ(written, data);

  SmpData block{};
  put(block, 0, 0x1F);   // port 0: profile 1, port 1: invalid
  put(block, 63, 0x07);  // port 127: profile 7
  const PortProfiles profiles = decode_port_profiles(block);
  EXPECT_EQ(profiles.of[0], 1);
  EXPECT_EQ(profiles.of[1], PortProfiles::kInvalid);
  EXPECT_EQ(profiles.of[127], 7);
  EXPECT_EQ(encode(profiles), block);
  EXPECT_EQ(profiles_modifier(ProfileFeature::kPortRecovery, 1), 0x401u);
}

TEST(PortRecoveryWire, GeneralInfoAnnouncesEachAttribute) {
  SmpData data{};
  put(data, 4, 0x20);   // bit 61
  put(data, 5, 0x30);   // bits 52 and 53
  put(data, 10, 0x10);  // bit 76
  const DeviceCapabilities device = decode_device_capabilities(data);
  for (const unsigned bit : {DeviceCapabilities::kFastRecovery, DeviceCapabilities::kCreditWatchdog,
                             DeviceCapabilities::kBer, DeviceCapabilities::kPortRecoveryPolicy})
    EXPECT_TRUE(device.has(bit)) << bit;
}

TEST(PortRecoveryWire, ThresholdsAreComparedAsRates) {
  EXPECT_TRUE(is_above({1, 6}, {9, 7}));
  EXPECT_TRUE(is_above({2, 6}, {1, 6}));
  EXPECT_FALSE(is_above({1, 6}, {1, 6}));
  EXPECT_TRUE(is_above({1, 17}, {0, 0}));
  EXPECT_FALSE(is_above({0, 0}, {1, 17}));
}

RC_GTEST_PROP(PortRecoveryWire, WritesChangeNoOtherFields, ()) {
  const SmpData before = any_bytes<kSmpDataSize>();
  SmpData data = before;
  write_credit_watchdog(decode_credit_watchdog(before), data);
  write_ber(decode_ber(before), data);
  write_port_recovery_policy(decode_port_recovery_policy(before), data);
  RC_ASSERT(data == before);
  RC_ASSERT(encode(decode_port_profiles(before)) == before);
}

TEST(UnhealthyReasonWire, IsByte6AndTheEventOfRecoveryIsBit4OfByte0) {
  SmpData data{};
  put(data, 0, 0x10);
  put(data, 6, 8);
  EXPECT_EQ(unhealthy_reason(data), UnhealthyReason::kContainAndDrain);
  EXPECT_TRUE(is_port_recovered(data));
  SmpData written{};
  set_unhealthy_reason(written, UnhealthyReason::kContainAndDrain);
  set_port_recovered(written, true);
  EXPECT_EQ(written, data);
}

RC_GTEST_PROP(ExtendedPortInfoWire, WritingFieldsKeepsTheOtherBytes, ()) {
  const SmpData before = any_bytes<kSmpDataSize>();
  SmpData data = before;
  write_extended_port_info({1, 2, 3, 4}, data);
  for (std::size_t at = 0; at < kSmpDataSize; ++at) {
    const bool is_field = at == 3 || at == 7 || at == 11 || at == 15;
    RC_ASSERT(data[at] == (is_field ? static_cast<std::byte>((at + 1) / 4) : before[at]));
  }
  set_unhealthy_reason(data, unhealthy_reason(before));
  set_port_recovered(data, is_port_recovered(before));
  write_extended_port_info(*decode_extended_port_info(before), data);
  RC_ASSERT(data == before);
}

TEST(PortRecoveryWire, TheModifierOfBerHasABitForDefaultThresholds) {
  EXPECT_EQ(ber_modifier(5, BerType::kSymbol), 0x205u);
  EXPECT_EQ(ber_modifier(5, BerType::kSymbol, true), 0x80000205u);
}

}  // namespace
}  // namespace weft
