// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/sm_arguments.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/secure_path.h"
#include "cli/common.h"
#include "service/config/config_file.h"
#include "service/config/options.h"
#include "service/config/trusted_files.h"

namespace weft::cli {
namespace {

constexpr unsigned kLogRouting = 0x40;
constexpr unsigned kEmulatedVportsMax = 2000;
constexpr const char* kDefaultDirectory = "/var/log";
constexpr const char* kDefaultCache = "/var/cache/opensm";
constexpr const char* kDefaultState = "/var/lib/weft";

/// A folder that a service manager assigns, or the default.
std::string assigned_folder(const char* variable, const char* by_default) {
  std::string folder = environment(variable);
  return folder.empty() ? by_default : folder;
}

bool is_assigned(const SmArguments& arguments, std::string_view key) {
  return std::ranges::find(arguments.assignments, key, &Assignment::key) !=
         arguments.assignments.end();
}

/// Uses the folders that a service manager assigns. A service without privileges cannot create
/// files in /var/log, the default of OpenSM. A file opensm.conf that `opensm -c` wrote names this
/// folder, too.
void use_service_folders(const SmArguments& arguments, Settings& settings) {
  settings.state_folder = assigned_folder("STATE_DIRECTORY", kDefaultState);
  const std::string logs = environment("LOGS_DIRECTORY");
  if (logs.empty() || is_assigned(arguments, "log_file") ||
      settings.log_file != default_settings().log_file)
    return;
  settings.log_file = logs + "/opensm.log";
}

/// -d N: OpenSM's debugging options, each an alias of a configuration key.
void add_debug_option(CLI::App& app, Assignments& assignments) {
  static constexpr std::array<std::string_view, 4> kKeys{"ignore_other_sm", "single_thread",
                                                         "force_log_flush", "disable_multicast"};
  app.add_option_function<unsigned>(
         "-d,--debug",
         [&assignments](unsigned number) {
           assignments.push_back({fmt::format("-d {}", number), kKeys[number], "TRUE"});
         },
         "Set a debugging option: 0 ignore other managers, 1 one thread, 2 flush the log, 3 no "
         "multicast")
      ->check(CLI::Range(std::size_t{0}, kKeys.size() - 1))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse();
}

/// Adds an option with a word of `choices` as its value; the help lists the words in this order.
template <class Choice>
void add_choice(CLI::App& app, const std::string& name, Choice& into,
                const std::vector<std::pair<std::string, Choice>>& choices,
                const std::string& help) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto take = [&into, choices](const std::string& word) {
    for (const auto& [name_of, choice] : choices)
      if (name_of == word) into = choice;
  };
  restrict_to(app.add_option_function<std::string>(name, take, help), words);
}

void add_vport_options(CLI::App& app, SmArguments& arguments) {
  app.add_option(
         "--emulate-vports", arguments.emulate_vports,
         "Emulate N virtual ports (SR-IOV) on each CA port, which appear, disappear and move "
         "between hosts (default: 0)")
      ->check(CLI::Range(0u, kEmulatedVportsMax))
      ->option_text("N");
  add_choice<VirtualCas>(
      app, "--emulate-vport-support", arguments.emulate_vport_support,
      {{"all", VirtualCas::kAnswered},
       {"mixed", VirtualCas::kMixed},
       {"silent", VirtualCas::kIgnored}},
      "With --emulate-vports: select the CAs that support virtualization; mixed: some "
      "do not announce it, support a part or do not respond; silent: no response "
      "(default: all)");
  app.add_flag("--emulate-vport-lids", arguments.emulate_vport_lids,
               "With --emulate-vports: each virtual port requires a LID of its own");
  app.add_option("--emulate-vport-interval", arguments.emulate_vport_interval,
                 "With --emulate-vports: seconds between two changes of virtual ports; 0: no "
                 "changes (default: 1)")
      ->check(CLI::Range(0.0, 86'400.0))
      ->option_text("SECONDS");
}

void add_plane_option(CLI::App& app, SmArguments& arguments) {
  add_choice<PlanarSupport>(
      app, "--emulate-planes", arguments.emulate_planes,
      {{"all", PlanarSupport::kAll},
       {"none", PlanarSupport::kNone},
       {"mixed", PlanarSupport::kMixed},
       {"silent", PlanarSupport::kSilent}},
      "On a fabric with 2 or 4 planes, or with split ports: select the emulated devices that "
      "announce HierarchyInfo; mixed: some do not announce it, support a part or do not respond; "
      "silent: no response (default: all)");
  app.add_flag("--emulate-shared-port-guids", arguments.emulate_shared_port_guids,
               "Give all ports of an emulated CA that states its planes one port GUID");
}

void add_port_state_option(CLI::App& app, SmArguments& arguments) {
  add_choice<PortStateTables>(
      app, "--emulate-port-states", arguments.emulate_port_states,
      {{"none", PortStateTables::kNone},
       {"all", PortStateTables::kAnswered},
       {"mixed", PortStateTables::kMixed},
       {"silent", PortStateTables::kIgnored}},
      "Select the emulated switches that support SwitchPortStateTable; mixed: some do not "
      "announce it, refuse it or do not respond; silent: no response (default: none)");
}

void add_feature_option(CLI::App& app, const std::string& name, FeatureDevices& value,
                        const std::string& help) {
  add_choice<FeatureDevices>(app, name, value,
                             {{"all", FeatureDevices::kAll},
                              {"none", FeatureDevices::kNone},
                              {"mixed", FeatureDevices::kMixed},
                              {"silent", FeatureDevices::kSilent}},
                             help + "; silent: no response (default: none)");
}

void add_feature_options(CLI::App& app, SmArguments& arguments) {
  add_feature_option(app, "--emulate-sharp", arguments.emulate_sharp,
                     "Select the emulated switches with SHARP; mixed: some do not announce it, do "
                     "not respond to its setting or refuse it");
  add_feature_option(app, "--emulate-recovery", arguments.emulate_recovery,
                     "Select the emulated switches with fast recovery and port recovery policies; "
                     "mixed: some have policies only, do not respond to settings or refuse them");
  add_feature_option(app, "--emulate-class-keys", arguments.emulate_class_keys,
                     "Select the emulated ports with keys of management classes; mixed: some do "
                     "not announce them, do not respond or refuse them");
  add_feature_option(app, "--emulate-ppcc", arguments.emulate_ppcc,
                     "Select the emulated CA ports with programmable congestion control; mixed: "
                     "some do not announce it, do not respond to its settings or refuse it");
  add_feature_option(app, "--emulate-dcqcn", arguments.emulate_dcqcn,
                     "Select the emulated CA ports and switches with DCQCN; mixed: some do not "
                     "announce it, do not respond to its settings or refuse it");
  add_feature_option(app, "--emulate-private-lfts", arguments.emulate_private_lfts,
                     "Select the emulated switches with adaptive routing that have private "
                     "forwarding tables (pLFTs); mixed: some do not select tables by SL, do not "
                     "respond to their attributes or do not announce them");
}

}  // namespace

void add_sm_options(CLI::App& app, SmArguments& arguments) {
  app.add_option("-F,--config", arguments.config, "Read this configuration file (opensm.conf)")
      ->option_text(fmt::format("FILE [{}]", kDefaultConfig));
  app.add_option("-c,--create-config", arguments.create_config,
                 "Write the effective configuration with all keys to this file and exit")
      ->option_text("FILE");
  add_command_options(app, manager_command_options(), arguments.assignments);
  add_command_options(app, routing_command_options(), arguments.assignments);
  add_debug_option(app, arguments.assignments);
  app.add_flag("-o,--once", arguments.once, "Bring the subnet up once, then exit");
  app.add_flag("-v,--verbose", arguments.verbose, "Increase the log verbosity; may be repeated");
  app.add_flag("-V", arguments.verbose_max, "Log everything");
  add_choice<AdaptiveSwitches>(
      app, "--emulate-adaptive", arguments.emulate_adaptive,
      {{"none", AdaptiveSwitches::kRefused},
       {"all", AdaptiveSwitches::kAnswered},
       {"mixed", AdaptiveSwitches::kMixed},
       {"silent", AdaptiveSwitches::kIgnored}},
      "Set the adaptive-routing capability of emulated switches; mixed: some are not "
      "AR-capable, hold few groups or have an old version; silent: no response "
      "(default: none)");
  app.add_flag("--emulate-notifications", arguments.emulate_notifications,
               "With --emulate-adaptive: make AR-capable switches send fault routing notifications "
               "(FRN) for LIDs that they can no longer reach");
  add_vport_options(app, arguments);
  add_plane_option(app, arguments);
  add_port_state_option(app, arguments);
  add_feature_options(app, arguments);
  app.add_option_function<std::string>(
         "--emulate-devices",
         [&arguments](const std::string& names) {
           auto devices = parse_device_list(names);
           if (!devices) throw CLI::ValidationError("--emulate-devices", devices.error().message);
           arguments.emulate_devices = std::move(*devices);
         },
         "Emulate nodes without a device id as these devices in turn, such as "
         "quantum-2,connectx-7; weft emulate devices lists them")
      ->option_text("NAMES");
  app.add_option("--emulate", arguments.emulate,
                 "Run on an emulated fabric, from a file or a generator spec");
  list_words(
      app.add_option("--format", arguments.format,
                     "Read the --emulate file in this format (default: detected from the content)"),
      table_names(read_formats()));
  app.add_flag("--json", arguments.json, "With --once: report as one JSON object");
}

Result<Settings> settings_of(const SmArguments& arguments, std::vector<std::string>& warnings) {
  Settings settings;
  if (!arguments.emulate.empty() && arguments.create_config.empty())
    use_emulated_files(settings, arguments.emulated_folder);
  std::string config = arguments.config;
  std::error_code error;
  if (config.empty() && arguments.emulate.empty() && std::filesystem::exists(kDefaultConfig, error))
    config = kDefaultConfig;
  if (!config.empty()) {
    if (auto status = check_only_owner_writes(config); !status) return forward(status);
    ConfigDiagnostics problems;
    const auto status = read_config(config, settings, problems);
    warnings.insert(warnings.end(), problems.warnings.begin(), problems.warnings.end());
    if (!status) return forward(status);
  }
  if (const auto status = assign_all(arguments.assignments, settings, warnings); !status)
    return forward(status);
  if (arguments.emulate.empty()) use_service_folders(arguments, settings);
  if (arguments.create_config.empty())
    if (const auto status = check_trusted_files(settings); !status) return forward(status);
  return settings;
}

unsigned log_flags(const SmArguments& arguments, const Settings& settings) {
  auto flags = static_cast<unsigned>(settings.log_flags);
  for (unsigned i = 0; i < arguments.verbose; ++i) flags = (flags << 1 | 1) & 0xFF;
  return arguments.verbose_max ? 0xFF : flags;
}

LogDestination log_place(const SmArguments& arguments, unsigned flags) {
  LogDestination place;
  place.flags = flags;
  place.default_file = arguments.emulate.empty();
  place.is_explicit = is_assigned(arguments, "log_file");
  return place;
}

std::string pid_file(const SmArguments& arguments, const Settings& settings) {
  return settings.emulated && !is_assigned(arguments, "pid_file") ? "" : settings.pid_file;
}

std::string cache_directory(const SmArguments& arguments, const Settings& settings) {
  if (!settings.cache_files_dir.empty() && !settings.emulated) return settings.cache_files_dir;
  if (const std::string cache = environment("OSM_CACHE_DIR"); !cache.empty()) return cache;
  return arguments.emulate.empty() ? kDefaultCache : "";
}

DumpPlace dump_place(const SmArguments& arguments, const Settings& settings, unsigned flags) {
  if (settings.dump_files_dir != default_settings().dump_files_dir)
    return {.folder = settings.dump_files_dir, .everything = true, .is_explicit = true};
  const bool routing = (flags & kLogRouting) != 0;
  if (!arguments.emulate.empty())
    return {.folder = arguments.emulated_folder,
            .everything = routing,
            .is_explicit = routing,
            .after_sweeps = routing};
  if (const std::string folder = environment("OSM_TMP_DIR"); !folder.empty())
    return {.folder = folder, .everything = true, .is_explicit = true, .from_variable = true};
  return {.folder = assigned_folder("LOGS_DIRECTORY", kDefaultDirectory),
          .everything = routing,
          .is_explicit = routing};
}

Status check_folder(const DumpPlace& place) {
  std::error_code ignored;
  if (!place.from_variable || std::filesystem::is_directory(place.folder, ignored)) return {};
  return fail(Code::kEnvironment,
              "OSM_TMP_DIR: {}: no such folder: dumps are not written: create it, or name a folder "
              "with --dump_files_dir",
              place.folder);
}

}  // namespace weft::cli
