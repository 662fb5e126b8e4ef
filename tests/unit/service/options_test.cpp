// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <regex>

#include "base/file.h"
#include "base/text.h"
#include "service/config/key.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Settings with(std::string_view key, std::string_view value) {
  Settings settings;
  EXPECT_TRUE(assign(settings, *find_key(key), value)) << key;
  return settings;
}

TEST(Options, DefaultsEqualThoseOfTheManager) {
  std::vector<std::string> warnings;
  const auto options = sm_options({}, warnings);
  ASSERT_TRUE(options) << options.error().message;
  const SmOptions own;
  EXPECT_EQ(options->lmc, own.lmc);
  EXPECT_EQ(options->subnet_prefix, own.subnet_prefix);
  EXPECT_EQ(options->sm_key, own.sm_key);
  EXPECT_EQ(options->sweep_interval, own.sweep_interval);
  EXPECT_EQ(options->sweep_on_trap, own.sweep_on_trap);
  EXPECT_EQ(options->max_wire_smps, own.max_wire_smps);
  EXPECT_EQ(options->max_device_smps, own.max_device_smps);
  EXPECT_EQ(options->max_device_vendor_smps, own.max_device_vendor_smps);
  EXPECT_EQ(options->transaction_timeout, own.transaction_timeout);
  EXPECT_EQ(options->transaction_retries, own.transaction_retries);
  EXPECT_EQ(options->max_op_vls, own.max_op_vls);
  EXPECT_EQ(options->subnet_timeout, own.subnet_timeout);
  EXPECT_EQ(options->packet_life_time, own.packet_life_time);
  EXPECT_EQ(options->head_of_queue_lifetime, own.head_of_queue_lifetime);
  EXPECT_EQ(options->leaf_head_of_queue_lifetime, own.leaf_head_of_queue_lifetime);
  EXPECT_EQ(options->vl_stall_count, own.vl_stall_count);
  EXPECT_EQ(options->leaf_vl_stall_count, own.leaf_vl_stall_count);
  EXPECT_EQ(options->local_phy_errors_threshold, own.local_phy_errors_threshold);
  EXPECT_EQ(options->overrun_errors_threshold, own.overrun_errors_threshold);
  EXPECT_EQ(options->force_link_width, own.force_link_width);
  EXPECT_EQ(options->force_link_speed, own.force_link_speed);
  EXPECT_EQ(options->force_link_speed_ext, own.force_link_speed_ext);
  EXPECT_EQ(options->client_rereg, own.client_rereg);
  EXPECT_EQ(options->m_key, own.m_key);
  EXPECT_EQ(options->sminfo_polling_timeout, own.sminfo_polling_timeout);
  EXPECT_EQ(options->fdr10, own.fdr10);
  EXPECT_EQ(options->live_link_changes, own.live_link_changes);
  EXPECT_EQ(options->shield_mode, own.shield_mode);
  EXPECT_EQ(options->ucast_cache, own.ucast_cache);
  EXPECT_TRUE(options->routing_engine.is_default);
  EXPECT_EQ(options->routing_engine.engines, own.routing_engine.engines);
  EXPECT_EQ(options->part_enforce, own.part_enforce);
  EXPECT_EQ(options->qos, own.qos);
  EXPECT_EQ(options->verify, own.verify);
  EXPECT_EQ(options->routing.plain.parameters, own.routing.plain.parameters);
}

/// The members of a header that are initialized by a plain value: "bool lmc_esp0 = false;".
std::map<std::string, std::string> initialized_members(const std::string& header) {
  const std::regex member(R"(^  (?:bool|unsigned|std::\w+) (\w+) = ([\w']+);)");
  const std::string text = read_file(WEFT_SOURCE_DIR "/src/" + header).value();
  std::map<std::string, std::string> values;
  for (const std::string_view line : split(text, '\n'))
    if (std::cmatch found; std::regex_search(line.data(), line.data() + line.size(), found, member))
      values[found[1]] = found[2];
  return values;
}

TEST(Options, OfLoadAwareRoutingRequireCountersAndNoWeightFile) {
  std::vector<std::string> warnings;
  Settings settings = with("load_aware_routing", "TRUE");
  settings.load_aware_minutes = 7;
  settings.load_aware_threshold = 33;
  const auto refused = sm_options(settings, warnings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "load_aware_routing requires perfmgr, which reads the counters");
  settings.perfmgr = true;
  const auto options = sm_options(settings, warnings);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->load_aware, (LoadAwareOptions{true, std::chrono::minutes(7), 33}));
  const TempDir folder;
  settings.node_weights_file = folder / "weights";
  ASSERT_TRUE(write_file(settings.node_weights_file, "0x1 5\n"));
  const auto both = sm_options(settings, warnings);
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().message, HasSubstr("expected one source of node weights"));
}

TEST(Options, OfReadingsAreThoseOfTheCounterDatabase) {
  Settings settings;
  const ReadingRetention standard, read = performance_options(settings).readings;
  EXPECT_EQ(read.retention, standard.retention);
  EXPECT_EQ(read.full, standard.full);
  EXPECT_EQ(read.minutes, standard.minutes);
  EXPECT_EQ(read.bytes_max, standard.bytes_max);
  settings.perfmgr_full_hours = 2;
  settings.perfmgr_minute_days = 3;
  settings.perfmgr_size_mb = 16;
  const ReadingRetention changed = performance_options(settings).readings;
  EXPECT_EQ(changed.full, std::chrono::hours(2));
  EXPECT_EQ(changed.minutes, std::chrono::days(3));
  EXPECT_EQ(changed.bytes_max, std::uint64_t{16} << 20);
}

TEST(Options, HeadersOfOtherLayersHaveTheSameDefaults) {
  std::size_t compared = 0;
  const std::map<std::string, std::string> constants{
      {"kAllSls", std::to_string(kAllSls)},
      {"kHbfSeedOfGuid", std::to_string(kHbfSeedOfGuid)},
      {"kHbfFields", std::to_string(kHbfFields)},
      {"kArTransportsRcDc", std::to_string(kArTransportsRcDc)}};
  for (const char* header : {"sm/options.h", "sa/options.h", "gmp/options.h"})
    for (auto [name, value] : initialized_members(header)) {
      const Key* key = find_key(name);
      if (key == nullptr) continue;
      if (const auto constant = constants.find(value); constant != constants.end())
        value = constant->second;
      std::erase(value, '\'');
      if (value == "true" || value == "false") value = value == "true" ? "1" : "0";
      Settings settings;
      ASSERT_TRUE(assign(settings, *key, value)) << header << ": " << name << " = " << value;
      EXPECT_EQ(settings, default_settings()) << header << ": " << name << " = " << value;
      ++compared;
    }
  EXPECT_GE(compared, 30u) << "few members match the regular expression of this test";
}

TEST(Options, ExitOnFatalErrorsIsEnabledAsInOpenSm) {
  std::vector<std::string> warnings;
  EXPECT_TRUE(sm_options({}, warnings)->exit_on_fatal);
  EXPECT_TRUE(SmOptions().exit_on_fatal);
}

TEST(Options, AnEmulatedManagerUsesNoFilesOfTheMachine) {
  Settings settings;
  use_emulated_files(settings, "/tmp/own");
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      const std::string value = value_text(settings, key);
      // LogDestination and DumpPlace select the paths of the log and of the dumps.
      if (key.name == "log_file" || key.name == "dump_files_dir") continue;
      EXPECT_FALSE(value.starts_with("/etc/") || value.starts_with("/var/"))
          << key.name << ' ' << value;
    }
  EXPECT_EQ(settings.partition_config_file, "/tmp/own/partitions.conf");
  std::vector<std::string> warnings;
  EXPECT_TRUE(sm_options(settings, warnings));
  EXPECT_THAT(warnings, testing::IsEmpty()) << "the default file need not exist";
  settings.partition_config_file = "/tmp/own/others.conf";
  EXPECT_TRUE(sm_options(settings, warnings));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("/tmp/own/others.conf: cannot open")));
}

TEST(Options, ASecretSmKeyWithoutAListOfManagersCausesAWarning) {
  const TempDir folder;
  Settings settings;
  settings.partition_config_file = folder.path() + "/none";
  const auto sm_key_warnings = [&] {
    std::vector<std::string> warnings;
    EXPECT_TRUE(sm_options(settings, warnings));
    return std::ranges::count_if(warnings, [](const std::string& warning) {
      return warning.starts_with("sm_key: ") &&
             warning.find("allowed_sm_guids") != std::string::npos;
    });
  };
  EXPECT_EQ(sm_key_warnings(), 0) << "the public key causes no warning";
  settings.sm_key = 0;
  EXPECT_EQ(sm_key_warnings(), 0);
  settings.sm_key = 0x5EC2E7;
  EXPECT_EQ(sm_key_warnings(), 1);
  settings.allowed_sm_guids = "0x10,0x20";
  EXPECT_EQ(sm_key_warnings(), 0);
}

TEST(Options, ThePublicSaKeyIsNotTrustedByDefault) {
  EXPECT_FALSE(sa_options({})->trust_public_key);
  Settings settings;
  settings.trust_public_sa_key = true;
  EXPECT_TRUE(sa_options(settings)->trust_public_key);
}

TEST(Options, ChangesOfTheDefaultPartitionFileAreWrittenToTheStateFolder) {
  const TempDir folder;
  Settings settings;
  const std::string original = settings.partition_config_file;
  EXPECT_EQ(changed_partition_file(settings), original)
      << "without a state folder the original file is changed";
  settings.state_folder = folder.path();
  const std::string changed = folder / "partitions.conf";
  EXPECT_EQ(changed_partition_file(settings), changed);
  EXPECT_EQ(active_partition_file(settings), original) << "there is no changed file yet";

  ASSERT_TRUE(write_file(changed, "A=0x10: ALL=full;\n"));
  EXPECT_EQ(active_partition_file(settings), changed);
  std::vector<std::string> warnings;
  const auto options = sm_options(settings, warnings);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->partition_config_file, changed);
  ASSERT_FALSE(options->partitions.partitions.empty());
  EXPECT_EQ(options->partitions.partitions.back().name, "A");

  settings.partition_config_file = folder / "own.conf";
  EXPECT_EQ(changed_partition_file(settings), folder / "own.conf")
      << "a named file is changed in place";
  EXPECT_EQ(active_partition_file(settings), folder / "own.conf");
}

TEST(Options, WarnsOfAnEditedFileThatIsNotRead) {
  const TempDir folder;
  const std::string original = folder / "original", changed = folder / "changed";
  ASSERT_TRUE(write_file(original, "\n"));
  ASSERT_TRUE(write_file(changed, "\n"));
  const auto age = [](const std::string& path, int seconds) {
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  age(original, 20);
  age(changed, 10);
  EXPECT_EQ(newer_file_warning(original, changed), "");
  age(original, 5);
  EXPECT_THAT(newer_file_warning(original, changed),
              testing::StartsWith(original + ": not read, although newer than " + changed));
  EXPECT_EQ(newer_file_warning(original, original), "");
  std::filesystem::remove(original);
  EXPECT_EQ(newer_file_warning(original, changed), "");
}

TEST(Options, KeysSetTheCorrespondingOption) {
  std::vector<std::string> warnings;
  const auto of = [&](std::string_view key, std::string_view value) {
    return sm_options(with(key, value), warnings).value();
  };
  EXPECT_EQ(of("lmc", "3").lmc, 3);
  EXPECT_TRUE(of("lmc_esp0", "TRUE").lmc_esp0);
  EXPECT_EQ(of("max_wire_smps", "16").max_wire_smps, 16u);
  EXPECT_EQ(of("max_device_smps", "4").max_device_smps, 4u);
  EXPECT_EQ(of("max_device_vendor_smps", "3").max_device_vendor_smps, 3u);
  EXPECT_EQ(of("force_link_width", "2").force_link_width, 2);
  EXPECT_EQ(of("sweep_interval", "0").sweep_interval, std::chrono::milliseconds(0));
  EXPECT_EQ(of("force_heavy_sweep_window", "7").force_heavy_sweep_window, 7u);
  EXPECT_EQ(of("force_heavy_sweep_window", "-1").force_heavy_sweep_window, 0u);
  EXPECT_EQ(of("master_sm_priority", "14").master_sm_priority, 14);
  EXPECT_EQ(of("max_neighbor_mtu", "4").max_neighbor_mtu, 4);
  EXPECT_EQ(of("max_op_vls_ca", "1").max_op_vls_of.ca, 1);
  EXPECT_EQ(of("max_op_vls_sw", "2").max_op_vls_of.sw, 2);
  EXPECT_EQ(of("max_op_vls_rtr", "3").max_op_vls_of.router, 3);
  EXPECT_EQ(sa_options(with("default_mcg_mtu", "4"))->default_mcg_mtu, 4);
  EXPECT_EQ(sa_options(with("default_mcg_rate", "3"))->default_mcg_rate, 3);
  const auto flow = [&](const char* value) {
    return of("ar_tree_asymmetric_flow", value).routing.asymmetric_flow;
  };
  EXPECT_EQ(flow("0"), AsymmetricFlow::kOff);
  EXPECT_EQ(flow("1"), AsymmetricFlow::kOff);
  EXPECT_EQ(flow("2"), AsymmetricFlow::kLeaves);
  EXPECT_EQ(flow("3"), AsymmetricFlow::kAll);
  EXPECT_TRUE(of("shield_mode", "3").shield_mode);
  EXPECT_EQ(of("ar_sl_mask", "0x00F0").ar_sl_mask, 0xF0);
  EXPECT_EQ(of("fast_recovery_enabled", "2").fast_recovery, RecoverySetting::kEnable);
  EXPECT_EQ(of("port_recovery_policy_enabled", "1").port_recovery, RecoverySetting::kDisable);
  EXPECT_TRUE(of("ar_mode", "3").routing_engine.is_default);
  EXPECT_FALSE(of("routing_engine", "minhop").routing_engine.is_default);
  EXPECT_FALSE(of("ar_mode", "3").routing.adaptive.has_value());
  EXPECT_FALSE(of("ar_mode", "0").routing.adaptive.value().enable);
  EXPECT_TRUE(of("disable_default_gi_support", "TRUE").disable_default_gi_support);
  EXPECT_EQ(of("additional_gi_supporting_devices", "0xd2f6, 1234").additional_gi_supporting_devices,
            (std::vector<std::uint16_t>{0xD2F6, 0x1234}));
  EXPECT_EQ(of("ar_transport_mask", "0x2").ar_transport_mask, 2);
  EXPECT_FALSE(of("no_clients_rereg", "TRUE").client_rereg);
  EXPECT_FALSE(of("sm_sl", "0").use_optimized_slvl) << "the default is that of OpenSM";
  EXPECT_TRUE(of("use_optimized_slvl", "TRUE").use_optimized_slvl);
  EXPECT_EQ(of("sm_sl", "3").sm_sl, 3);
  EXPECT_EQ(of("sm_sl", "3").live_link_changes, LiveLinks::kBounce);
  EXPECT_EQ(of("live_link_changes", "wait").live_link_changes, LiveLinks::kWait);
  EXPECT_TRUE(of("use_ucast_cache", "TRUE").ucast_cache);
  EXPECT_EQ(of("verify", "off").verify, VerifyMode::kOff);
  EXPECT_EQ(of("verify", "warn").verify, VerifyMode::kWarn);
  EXPECT_EQ(of("balance", "local").routing.plain.balance, Balance::kLocal);
  EXPECT_EQ(of("scatter_ports", "42").routing.plain.scatter_ports, 42u);
  EXPECT_TRUE(of("avoid_throttled_links", "TRUE").routing.avoid_throttled_links);
  EXPECT_THAT(of("routing_engine", "dor,lash").routing_engine.engines, ElementsAre("dor", "lash"));
}

TEST(Options, ErrorsNameTheRoutingFileThatCannotBeRead) {
  std::size_t files = 0;
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      const bool routing = section.title == "Routing";
      if (!routing || !std::holds_alternative<Text>(key.value) || key.name == "routing_engine")
        continue;
      std::vector<std::string> warnings;
      const Settings settings = with(key.name, "/no/such/file");
      const auto options = sm_options(settings, warnings);
      const auto of_queries = sa_options(settings);
      ASSERT_TRUE(!options || !of_queries) << key.name;
      const Error& error = options ? of_queries.error() : options.error();
      EXPECT_EQ(error.code, Code::kEnvironment) << key.name;
      EXPECT_THAT(error.message, HasSubstr("/no/such/file")) << key.name;
      ++files;
    }
  EXPECT_GT(files, 0u) << "no section has the title Routing";
}

TEST(Options, RestartOnlyKeysAreKeptWithAWarning) {
  const Settings active_settings;
  Settings read;
  read.sm_key = 7;
  read.lmc = 2;
  std::vector<std::string> warnings;
  keep_restart_only_settings(active_settings, read, warnings);
  EXPECT_EQ(read.sm_key, active_settings.sm_key);
  EXPECT_EQ(read.lmc, 2u);
  EXPECT_THAT(warnings, ElementsAre("sm_key: the new value takes effect after a restart"));
  read.subnet_prefix = 9;
  warnings.clear();
  keep_restart_only_settings(active_settings, read, warnings);
  EXPECT_THAT(warnings,
              ElementsAre("subnet_prefix: '0x0000000000000009' takes effect after a restart; "
                          "'0xfe80000000000000' stays active"));
}

}  // namespace
}  // namespace weft
