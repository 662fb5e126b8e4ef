// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fast recovery and port recovery policies: the file, and the settings of emulated switches.
#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <tuple>

#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/port_recovery.h"
#include "policy/fast_recovery_file.h"
#include "sm/devices/recovery.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<RecoveryRules> read_rules(const std::string& text) {
  const TempDir folder;
  const std::string path = folder.path() + "/recovery";
  std::ofstream(path) << text;
  return read_fast_recovery_file(path, {});
}

std::string paragraph(const std::string& lines) {
  return "fast-recovery\n" + lines + "\nend-fast-recovery\n";
}
std::string policy(const std::string& lines) {
  return "port-recovery\n" + lines + "\nend-port-recovery\n";
}

TEST(FastRecoveryFile, HasARuleForEachTrigger) {
  const auto rules = read_rules(
      paragraph("trigger: effective-ber\naction: physical\nthresholds: all\nerror: 5e-9\n"
                "warning: 1e-9\nnormal: 1e-12\nsampling: 50") +
      paragraph("trigger: credit-watchdog\ntraps: off\nerror: 20\nwindow: 8"));
  ASSERT_TRUE(rules) << rules.error().message;
  const FastRecoveryRules& triggers = rules->triggers[0].value();
  const FastRecoveryRule& ber = triggers[2].value();
  EXPECT_EQ(ber.action, RecoveryAction::kPhysical);
  EXPECT_EQ(ber.active_thresholds, ActiveThresholds::kAll);
  EXPECT_EQ(ber.error, (RecoveryThreshold{5, 9}));
  EXPECT_EQ(ber.normal, (RecoveryThreshold{1, 12}));
  EXPECT_EQ(ber.sampling, 50);
  const FastRecoveryRule& credits = triggers[0].value();
  EXPECT_EQ(credits.action, RecoveryAction::kRecovery);
  EXPECT_FALSE(credits.traps);
  EXPECT_EQ(credits.window, 8);
  EXPECT_FALSE(triggers[1] || triggers[3]);
  EXPECT_FALSE(rules->triggers[1]);
  EXPECT_THAT(rules->trigger_ports, ElementsAre(ProfileOfPorts{0, ""}));
  EXPECT_EQ(rules->policies, default_recovery_rules().policies);
}

TEST(FastRecoveryFile, HasProfilesForPortGroups) {
  const auto rules =
      read_rules(paragraph("trigger: raw-ber\nprofile: 2") +
                 paragraph("trigger: raw-ber\nprofile: 3\ngroup: ALL_CAS") +
                 paragraph("trigger: symbol-ber\nprofile: 3\nvalues: default") +
                 policy("methods: host-relock, data-path-toggle\ndraining: 100\nlink-down: 3000") +
                 policy("profile: 7\ngroup: ALL_SWITCHES\nmethods: none") +
                 policy("profile: 1\ngroup: ALL_CAS\nmethods: all"));
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_FALSE(rules->triggers[0] || rules->triggers[1]);
  EXPECT_TRUE((*rules->triggers[2])[1]);
  EXPECT_FALSE((*rules->triggers[3])[1]->default_values);
  EXPECT_TRUE((*rules->triggers[3])[3]->default_values);
  EXPECT_THAT(rules->trigger_ports,
              ElementsAre(ProfileOfPorts{2, ""}, ProfileOfPorts{3, "ALL_CAS"}));
  EXPECT_THAT(rules->policy_ports,
              ElementsAre(ProfileOfPorts{0, ""}, ProfileOfPorts{7, "ALL_SWITCHES"},
                          ProfileOfPorts{1, "ALL_CAS"}));
  EXPECT_EQ(rules->policies[0], (PortRecoveryRule{9, std::uint8_t{100}, std::uint16_t{3000}}));
  EXPECT_EQ(rules->policies[7], (PortRecoveryRule{std::uint16_t{0}}));
  EXPECT_EQ(rules->policies[1], PortRecoveryRule{});

  const auto none = read_rules("");
  ASSERT_TRUE(none);
  EXPECT_THAT(none->trigger_ports, ElementsAre(ProfileOfPorts{0, ""}));
  EXPECT_EQ(none->triggers[0], FastRecoveryRules{}) << "all triggers must be disabled";
}

TEST(FastRecoveryFile, NamesEachErrorOfProfilesAndPolicies) {
  for (const auto& [text, expected] :
       {std::pair(paragraph("trigger: raw-ber\nprofile: 8"),
                  "recovery:3:10: profile: found '8', expected a number from 0 to 7"),
        std::pair(paragraph("trigger: raw-ber\ngroup: x"), "recovery:3:8: port group 'x'"),
        std::pair(paragraph("trigger: raw-ber\nvalues: own"),
                  "values: found 'own', expected stored or default"),
        std::pair(paragraph("trigger: credit-watchdog\nvalues: default"),
                  "found default for trigger credit-watchdog, expected stored"),
        std::pair(paragraph("trigger: raw-ber") + paragraph("trigger: raw-ber\nprofile: 1"),
                  "recovery: fast-recovery: found profiles 0 and 1 without a group, expected one"),
        std::pair(policy("methods: relock"), "expected all, none, or some of host-relock"),
        std::pair(policy("methods: ,"), "expected all, none, or some of host-relock"),
        std::pair(policy("draining: 101"), "expected a number from 0 to 100"),
        std::pair(policy("link-down: 3001"), "expected a number from 0 to 3000"),
        std::pair(policy("profile: 1") + policy("profile: 1"),
                  "port recovery has a paragraph in profile 1 already"),
        std::pair(policy("trigger: raw-ber"), "expected profile, group, methods"),
        std::pair(std::string("port-recovery\nend-fast-recovery\n"),
                  "found 'end-fast-recovery', expected 'end-port-recovery'"),
        std::pair(std::string("action: none\n"), "'fast-recovery' or 'port-recovery'")}) {
    const auto rules = read_rules(text);
    ASSERT_FALSE(rules) << text;
    EXPECT_THAT(rules.error().message, HasSubstr(expected));
  }
}

//  H0 - S0 - S1 - H1: ports 1 of the switches are cabled to each other, ports 2 to hosts
TEST(FastRecoveryFile, ThePortsOfAGroupAndTheirPeersGetTheProfileOfTheLastEntry) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  const Fabric fabric = tiny.build();
  const auto profiles_at = [&](const std::vector<ProfileOfPorts>& ports) {
    const auto profiles = profiles_of_ports(ports, {}, fabric);
    std::string text;
    for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
      const Port& port = fabric.port(PortId(p));
      if (port.node == NodeId(0) && port.num > PortNum(0) && port.num < PortNum(4))
        text += profiles[p] ? std::to_string(*profiles[p]) : "-";
      EXPECT_TRUE(fabric.is_switch(port.node) || !profiles[p]) << "a CA port has no profile";
    }
    return text;
  };
  EXPECT_EQ(profiles_at({{2, "ALL_CAS"}}), "-2-");
  EXPECT_EQ(profiles_at({{1, "ALL_SWITCHES"}, {2, "ALL_CAS"}}), "121");
  EXPECT_EQ(profiles_at({{3, ""}, {2, "ALL_CAS"}}), "323");
  EXPECT_EQ(profiles_at({{2, "ALL_CAS"}, {3, ""}}), "333");
}

TEST(FastRecoveryFile, NamesEachErrorWithItsPlace) {
  for (const auto& [lines, expected] :
       {std::pair("action: none", "trigger"),
        std::pair("trigger: ber",
                  "recovery:2:10: trigger: found 'ber', expected credit-watchdog, "
                  "raw-ber, effective-ber, symbol-ber"),
        std::pair("trigger: raw-ber\nerror: 10e-9",
                  "recovery:3:8: error: found '10e-9', expected a rate such as 5e-9, with one "
                  "digit and an exponent from 0 to 17"),
        std::pair("trigger: raw-ber\nerror: 1e-18", "expected a rate"),
        std::pair("trigger: credit-watchdog\nerror: 32", "expected a number from 0 to 31"),
        std::pair("trigger: raw-ber\nsampling: 101", "expected a number from 1 to 100"),
        std::pair("trigger: raw-ber\nwindow: 5",
                  "window: found trigger raw-ber, expected credit-watchdog"),
        std::pair("trigger: raw-ber\ntraps: yes", "expected on or off"),
        std::pair("trigger: raw-ber\nerror: 1e-9\nwarning: 1e-8", "expected error above warning"),
        std::pair("trigger: raw-ber\nwarning: 1e-9\nnormal: 1e-9", "warning above normal"),
        std::pair("trigger: raw-ber\nerror: 1e-9\nnormal: 2e-9", "error above normal")}) {
    const auto rules = read_rules(paragraph(lines));
    ASSERT_FALSE(rules) << lines;
    EXPECT_THAT(rules.error().message, HasSubstr(expected));
  }
  const auto unknown = read_rules(paragraph("trigger: ber\nerror: 1e-9"));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, testing::Not(HasSubstr("error:")))
      << "the values of an unknown trigger must not be checked";
  const std::string twice = paragraph("trigger: raw-ber");
  EXPECT_THAT(read_rules(twice + twice).error().message,
              HasSubstr("has a paragraph in profile 0 already"));
}

TEST(FastRecoveryFile, EnablesTheTrapsOfTheActiveThresholds) {
  FastRecoveryRule rule;
  FastRecoveryConfig config;
  const auto traps = [&] {
    apply(rule, config, config);
    return std::array{config.trap_error, config.trap_warning, config.trap_normal};
  };
  for (const auto& [active_thresholds, error, others] :
       {std::tuple(ActiveThresholds::kNone, false, false),
        std::tuple(ActiveThresholds::kError, true, false),
        std::tuple(ActiveThresholds::kWarningAndNormal, false, true),
        std::tuple(ActiveThresholds::kAll, true, true)}) {
    rule.active_thresholds = active_thresholds;
    rule.traps = true;
    EXPECT_EQ(traps(), (std::array{error, others, others}));
    rule.traps = false;
    EXPECT_EQ(traps(), (std::array{false, false, false}));
  }
  config.window = 5;
  apply(rule, config, config);
  EXPECT_EQ(config.window, 5u) << "a value without a rule must be the value of the switch";
  rule.window = 8;
  apply(rule, config, config);
  EXPECT_EQ(config.window, 8u);
}

constexpr std::size_t kCredit = 0, kSymbol = 3, kPolicy = 4, kFastPorts = 5, kPolicyPorts = 7;

struct RecoverySubnet : ManagedSubnet {
  explicit RecoverySubnet(FeatureDevices support)
      : ManagedSubnet(fabric_of("fattree2:k=4"), emulator(support)) {}
  const SmpData& setting(std::uint32_t sw, std::size_t which) {
    return emulated().recovery_settings(SwitchId(sw))[which];
  }
  /// Number of requests for GeneralInfo and for all settings.
  std::uint64_t requests() {
    std::uint64_t sum = 0;
    for (const AttributeId attribute : {kGeneralInfo, kCreditWatchdogConfig, kBerConfig,
                                        kProfilesConfig, kPortRecoveryPolicyConfig})
      for (const Method method : {Method::kGet, Method::kSet})
        sum += emulated().counters().requests(method, attribute);
    return sum;
  }
  bool sweep_again() {
    emulated().reset_counters();
    sm().set_options(options);
    sm().request_heavy_sweep("test");
    return settle();
  }

 private:
  static EmulatorOptions emulator(FeatureDevices support) {
    EmulatorOptions options;
    options.recovery = support;
    return options;
  }
};

TEST(PortRecovery, IsEnabledDisabledAndReadInEachSweep) {
  RecoverySubnet subnet(FeatureDevices::kAll);
  subnet.options.fast_recovery = subnet.options.port_recovery = RecoverySetting::kEnable;
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  const std::uint32_t switches = subnet.fabric().switch_count();
  EXPECT_EQ(subnet.report().recovery.capable, switches);
  EXPECT_THAT(subnet.report().recovery.failures, testing::IsEmpty());
  for (std::uint32_t s = 0; s < switches; ++s) {
    const FastRecoveryConfig credits = decode_credit_watchdog(subnet.setting(s, kCredit));
    EXPECT_EQ(credits.action, RecoveryAction::kRecovery);
    EXPECT_EQ(credits.active_thresholds, ActiveThresholds::kError);
    EXPECT_TRUE(credits.trap_error && !credits.trap_warning);
    EXPECT_EQ(credits.error, (RecoveryThreshold{20, 0}))
        << "a value without a rule must be the value of the switch";
    EXPECT_EQ(subnet.setting(s, kCredit)[0], std::byte{0x5A})
        << "a field without a setting must keep its value";
    EXPECT_EQ(decode_ber(subnet.setting(s, kSymbol)).action, RecoveryAction::kRecovery);
    const auto policy = decode_port_recovery_policy(subnet.setting(s, kPolicy));
    EXPECT_EQ(policy.enabled, policy.supported);
    EXPECT_EQ(policy.link_down_time, 200);
    for (const std::size_t ports : {kFastPorts, kPolicyPorts}) {
      const PortProfiles profiles = decode_port_profiles(subnet.setting(s, ports));
      EXPECT_EQ(profiles.of[1], 0);
      EXPECT_EQ(profiles.of[4], 0);
      EXPECT_EQ(profiles.of[5], PortProfiles::kInvalid)
          << "port 5 must have no profile, because the switch has four ports";
    }
  }
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.report().recovery.written, 0u);
  EXPECT_EQ(subnet.requests(), 7u * switches) << "the manager must read each setting once";

  subnet.options.fast_recovery = subnet.options.port_recovery = RecoverySetting::kDisable;
  ASSERT_TRUE(subnet.sweep_again());
  const FastRecoveryConfig ber = decode_ber(subnet.setting(0, kSymbol));
  EXPECT_EQ(ber.action, RecoveryAction::kNone);
  EXPECT_EQ(ber.active_thresholds, ActiveThresholds::kNone);
  EXPECT_FALSE(ber.trap_error);
  EXPECT_EQ(decode_port_recovery_policy(subnet.setting(0, kPolicy)).enabled, 0);
}

/// Returns the number of settings that the manager writes to a switch with these options and
/// capabilities.
unsigned settings_written(const SmOptions& options, std::uint8_t ports,
                          std::initializer_list<unsigned> announced) {
  Observed observed;
  observed.nodes.resize(1);
  observed.nodes[0].info.port_count = ports;
  DeviceCapabilities capabilities;
  for (const unsigned capability : announced) capabilities.set(capability);
  const RecoverySettings settings(observed, options);
  unsigned count = 0;
  for (std::uint8_t setting = 0; setting < settings.count(); ++setting)
    count += settings.applies(setting, 0, capabilities) ? 1 : 0;
  return count;
}

TEST(PortRecovery, WritesOnlySettingsThatTheSwitchAnnounces) {
  using Announced = DeviceCapabilities;
  SmOptions options;
  options.fast_recovery = options.port_recovery = RecoverySetting::kEnable;
  EXPECT_EQ(settings_written(options, 64, {}), 0u);
  EXPECT_EQ(settings_written(options, 64, {Announced::kCreditWatchdog, Announced::kBer}), 0u)
      << "triggers must not be written to a switch without fast recovery";
  EXPECT_EQ(settings_written(options, 64, {Announced::kFastRecovery}), 1u)
      << "only the profiles of ports must be written";
  EXPECT_EQ(settings_written(options, 64, {Announced::kFastRecovery, Announced::kCreditWatchdog}),
            2u);
  EXPECT_EQ(settings_written(options, 64, {Announced::kFastRecovery, Announced::kBer}), 4u);
  EXPECT_EQ(settings_written(options, 64, {Announced::kPortRecoveryPolicy}), 2u);
  options.fast_recovery = RecoverySetting::kIgnore;
  EXPECT_EQ(
      settings_written(options, 64, {Announced::kFastRecovery, Announced::kPortRecoveryPolicy}),
      2u);
}

TEST(PortRecovery, WritesTheProfilesOfPortsThatTheSwitchHas) {
  SmOptions options;
  options.port_recovery = RecoverySetting::kEnable;
  for (const auto& [ports, blocks] : {std::pair(127, 1u), std::pair(128, 2u), std::pair(254, 2u)}) {
    EXPECT_EQ(settings_written(options, static_cast<std::uint8_t>(ports),
                               {DeviceCapabilities::kPortRecoveryPolicy}),
              1 + blocks)
        << ports;
  }
  Observed observed;
  observed.nodes.resize(1);
  observed.nodes[0].info.port_count = 130;
  const RecoverySettings settings(observed, options);
  PortProfiles none;
  none.of.fill(PortProfiles::kInvalid);
  const auto written = [&](std::size_t setting) {
    return decode_port_profiles(
        settings.wanted(static_cast<std::uint8_t>(setting), 0, encode(none)));
  };
  EXPECT_EQ(written(kPolicyPorts).of[0], PortProfiles::kInvalid) << "port 0 has no link";
  EXPECT_EQ(written(kPolicyPorts).of[127], 0);
  EXPECT_EQ(written(kPolicyPorts + 1).of[2], 0)
      << "port 130 must have its profile in the second block";
  EXPECT_EQ(written(kPolicyPorts + 1).of[3], PortProfiles::kInvalid);
}

TEST(PortRecovery, WritesTheConfiguredRules) {
  RecoverySubnet subnet(FeatureDevices::kAll);
  subnet.options.fast_recovery = RecoverySetting::kEnable;
  FastRecoveryRules& rules = subnet.options.fast_recovery_rules.triggers[0].emplace();
  rules[3] = FastRecoveryRule{.action = RecoveryAction::kLogical,
                              .active_thresholds = ActiveThresholds::kAll,
                              .traps = true,
                              .error = RecoveryThreshold{9, 5},
                              .warning = {},
                              .normal = {},
                              .sampling = std::uint8_t{100},
                              .window = {}};
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  const FastRecoveryConfig ber = decode_ber(subnet.setting(0, kSymbol));
  EXPECT_EQ(ber.action, RecoveryAction::kLogical);
  EXPECT_TRUE(ber.trap_error && ber.trap_warning && ber.trap_normal);
  EXPECT_EQ(ber.error, (RecoveryThreshold{9, 5}));
  EXPECT_EQ(ber.warning, (RecoveryThreshold{1, 8}))
      << "a value without a rule must be the value of the switch";
  EXPECT_EQ(ber.sampling, 100);
  EXPECT_EQ(decode_credit_watchdog(subnet.setting(0, kCredit)).action, RecoveryAction::kNone);
  EXPECT_EQ(subnet.sets(kPortRecoveryPolicyConfig), 0u);
}

/// Index of a setting of a profile other than 0 in recovery_settings().
constexpr std::size_t setting_of_profile(std::size_t profile, std::size_t setting) {
  return 4 + 5 * profile + setting;
}

TEST(PortRecovery, WritesOtherProfilesAndKeepsThoseOfPortsWithoutAProfile) {
  RecoverySubnet subnet(FeatureDevices::kAll);
  subnet.options.fast_recovery = subnet.options.port_recovery = RecoverySetting::kEnable;
  RecoveryRules& rules = subnet.options.fast_recovery_rules;
  rules = {};
  rules.triggers[3].emplace()[3] = FastRecoveryRule{};
  rules.trigger_ports = {{3, "ALL_CAS"}};
  rules.policies[7] = PortRecoveryRule{std::uint16_t{3}, std::uint8_t{0}, std::uint16_t{50}};
  rules.policy_ports = {{7, ""}};
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_THAT(subnet.report().recovery.failures, testing::IsEmpty());
  const SmpData& symbol = subnet.setting(0, setting_of_profile(3, kSymbol));
  EXPECT_EQ(decode_ber(symbol).action, RecoveryAction::kRecovery);
  EXPECT_EQ(decode_ber(subnet.setting(0, kSymbol)).action, RecoveryAction::kNone);
  const auto written =
      decode_port_recovery_policy(subnet.setting(0, setting_of_profile(7, kPolicy)));
  EXPECT_EQ(written.enabled, PortRecoveryPolicy::kHostRelock)
      << "a method that the switch does not support must not be enabled";
  EXPECT_EQ(written.draining_time, 0);
  EXPECT_EQ(written.link_down_time, 50);
  EXPECT_EQ(decode_port_recovery_policy(subnet.setting(0, kPolicy)).enabled, 0);
  const Fabric& fabric = subnet.fabric();
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const PortProfiles fast = decode_port_profiles(subnet.setting(s, kFastPorts));
    const PortProfiles policies = decode_port_profiles(subnet.setting(s, kPolicyPorts));
    for (const Port& port : fabric.ports(NodeId(s))) {
      if (port.num == PortNum(0)) continue;
      const bool has_host = port.peer != kNoPort && !fabric.is_switch(fabric.port(port.peer).node);
      EXPECT_EQ(fast.of[port.num.value()], has_host ? 3 : PortProfiles::kInvalid);
      EXPECT_EQ(policies.of[port.num.value()], 7);
    }
  }
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.report().recovery.written, 0u);

  subnet.options.fast_recovery = subnet.options.port_recovery = RecoverySetting::kDisable;
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(decode_port_profiles(subnet.setting(0, kFastPorts)).of[1], 0);
  EXPECT_EQ(decode_port_profiles(subnet.setting(0, kPolicyPorts)).of[1], 0);
  EXPECT_EQ(decode_port_recovery_policy(subnet.setting(0, kPolicy)).enabled, 0);
}

TEST(PortRecovery, SetsDefaultThresholdsOfTheSwitch) {
  RecoverySubnet subnet(FeatureDevices::kAll);
  subnet.options.fast_recovery = RecoverySetting::kEnable;
  FastRecoveryRule& rule = *(*subnet.options.fast_recovery_rules.triggers[0])[3];
  rule.error = RecoveryThreshold{9, 4};
  rule.warning = RecoveryThreshold{8, 4};
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(decode_ber(subnet.setting(0, kSymbol)).warning, (RecoveryThreshold{8, 4}));
  rule.warning.reset();
  rule.default_values = true;
  ASSERT_TRUE(subnet.sweep_again());
  const FastRecoveryConfig symbol = decode_ber(subnet.setting(0, kSymbol));
  EXPECT_EQ(symbol.error, (RecoveryThreshold{9, 4}));
  EXPECT_EQ(symbol.warning, (RecoveryThreshold{1, 8}));
  EXPECT_EQ(symbol.normal, (RecoveryThreshold{1, 10}));
  EXPECT_EQ(subnet.sets(kBerConfig), subnet.fabric().switch_count())
      << "default thresholds must not be written with the bit for default thresholds";
}

TEST(PortRecovery, IsQueriedFromNoSwitchWithoutASetting) {
  RecoverySubnet subnet(FeatureDevices::kAll);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  // Only the query for adaptive routing requests GeneralInfo.
  EXPECT_EQ(subnet.requests(), subnet.emulated().counters().requests(Method::kGet, kGeneralInfo));
}

/// Of every four switches one supports all, one supports policies only, one announces support
/// without responding, and one refuses GeneralInfo.
TEST(PortRecovery, IsSetOnlyInDevicesThatAnnounceSupport) {
  RecoverySubnet subnet(FeatureDevices::kMixed);
  subnet.options.fast_recovery = subnet.options.port_recovery = RecoverySetting::kEnable;
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_TRUE(subnet.report().up);
  EXPECT_EQ(subnet.report().recovery.capable, 5u) << "five of the six switches announce support";
  ASSERT_EQ(subnet.report().recovery.failures.size(), 1u);
  EXPECT_THAT(subnet.report().recovery.failures[0],
              HasSubstr("CreditWatchdogConfig, which the switch announces, is not set"));
  EXPECT_EQ(decode_credit_watchdog(subnet.setting(1, kCredit)).action, RecoveryAction::kNone);
  EXPECT_NE(decode_port_recovery_policy(subnet.setting(1, kPolicy)).enabled, 0);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.requests(), 2 * 7u + 2 * 2u)
      << "the switch that did not answer must be queried only after its pause";
}

TEST(PortRecovery, ReportsASettingThatASwitchRefuses) {
  RecoverySubnet subnet(FeatureDevices::kAll);
  subnet.options.fast_recovery = RecoverySetting::kEnable;
  (*subnet.options.fast_recovery_rules.triggers[0])[0]->error =
      RecoveryThreshold{10, 0};  // not above warning
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_TRUE(subnet.report().up);
  EXPECT_EQ(subnet.report().recovery.failures.size(), subnet.fabric().switch_count());
  EXPECT_EQ(subnet.report().recovery.written, 0u);
}

TEST(PortRecovery, CostsOneTimeoutForADeviceKindThatDoesNotAnswer) {
  RecoverySubnet subnet(FeatureDevices::kSilent);
  subnet.options.port_recovery = RecoverySetting::kEnable;
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.requests(), 1u + subnet.options.transaction_retries);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.requests(), 0u);
}

}  // namespace
}  // namespace weft
