// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft sm: the subnet manager, on a port of this machine or on an emulated fabric.

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/large_vector.h"
#include "base/log.h"
#include "cli/common.h"
#include "cli/sm/active_settings.h"
#include "cli/sm/attachment.h"
#include "cli/sm/emulated_folder.h"
#include "cli/sm/first_sweep.h"
#include "cli/sm/local_ports.h"
#include "cli/sm/resident_services.h"
#include "cli/sm/sm_arguments.h"
#include "cli/sm/sm_operation.h"
#include "cli/sm/sm_run.h"
#include "cli/subcommands.h"
#include "cli/version.h"
#include "cli/version_text.h"
#include "routing/plugin.h"
#include "service/config/config_file.h"
#include "service/config/options.h"
#include "service/daemon.h"
#include "service/log.h"
#include "service/sandbox.h"

namespace weft::cli {
namespace {

/// -c: writes the effective settings with all configuration keys, to a file that only its owner can
/// read, because the settings contain M_Keys and other secrets.
int create_config(const std::string& path, const Settings& settings) {
  constexpr unsigned kOwnerOnly = 0600;
  const auto status = write_file(path, config_text(settings), kOwnerOnly);
  return status ? 0 : report(status.error());
}

/// Logs where an emulated manager writes its files, and warns of dumps that are not kept.
void log_emulated_files(const SmArguments& arguments, const Settings& settings) {
  const std::string& folder = arguments.emulated_folder;
  if (!folder.empty())
    log::info("emulated: default files are in {} and are removed at the end", folder);
  const DumpPlace place = dump_place(arguments, settings, log_flags(arguments, settings));
  if (!place.after_sweeps || place.folder != folder) return;
  log::warn("emulated: {}: name a folder with --dump_files_dir to keep them",
            folder.empty() ? "dumps are not written" : "dumps are removed at the end");
}

/// Waits while the virtual clock of the emulator is ahead of real time.
class Pace {
 public:
  explicit Pace(const Clock& clock) : clock_(clock), start_(real_.now() - clock.now()) {}
  void operator()() const {
    const TimeNs ahead = clock_.now() - (real_.now() - start_);
    if (ahead > TimeNs{0}) std::this_thread::sleep_for(ahead);
  }

 private:
  RealClock real_;
  const Clock& clock_;
  TimeNs start_;
};

/// The options of the subnet manager, of its subnet administration and of congestion control.
struct ManagerOptions {
  SmOptions sm;
  SaOptions sa;
  CongestionOptions congestion;
};

/// Derives the options from the settings. Logs `warnings`, which are those of reading the settings,
/// and the warnings of the options. Fails if a setting is invalid, or if --once is combined with
/// sm_inactive.
Result<ManagerOptions> read_options(const SmArguments& arguments, const Settings& settings,
                                    std::vector<std::string> warnings) {
  auto options = sm_options(settings, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!options) return forward(options);
  auto sa_settings = sa_options(settings);
  if (!sa_settings) return forward(sa_settings);
  auto congestion = congestion_options(settings);
  if (!congestion) return forward(congestion);
  set_partition_sls(options->partitions, *sa_settings);
  if (arguments.once && options->sm_inactive)
    return fail(Code::kUsage,
                "--once: an inactive manager (sm_inactive, -I) cannot bring up the subnet");
  options->cache_dir = cache_directory(arguments, settings);
  return ManagerOptions{std::move(*options), std::move(*sa_settings), std::move(*congestion)};
}

RunHooks hooks_of(ActiveSettings& active, Operation& operation) {
  RunHooks hooks;
  hooks.swept = [&](const SubnetManager& manager) {
    active.dump(manager);
    active.dump_vports(manager);
  };
  hooks.reopen_log = [&] {
    active.reopen_log();
    operation.reopen();
  };
  hooks.on_hangup = [&](SubnetManager& manager) { active.reload(manager); };
  hooks.stepped = [&](SubnetManager& manager) { operation.stepped(manager); };
  hooks.stopping = [&] { operation.stopping(); };
  operation.on_request = [&](const SmRequest& request) { active.carry_out(request); };
  return hooks;
}

/// Reports that two nodes have the same GUID (exit_on_fatal). The status is that of
/// RestartPreventExitStatus in the systemd unit, because a restart would find the same nodes.
int report_fatal(const SubnetManager& sm) {
  constexpr int kExitFatal = 4;
  report(*sm.fatal());
  return kExitFatal;
}

/// Runs the first sweep of --once.
int bring_up(SubnetManager& sm, const SmArguments& arguments, const Settings& settings,
             const ActiveSettings& active, const RunHooks& hooks) {
  run_once(sm, hooks);
  log::info("Exiting SM");
  if (sm.fatal()) return report_fatal(sm);
  if (stop_requested()) return report({Code::kEnvironment, "stopped by a signal"});
  const int verdict = report_first_sweep(sm, arguments, settings);
  return verdict == 0 && !active.dump_status() ? report(active.dump_status().error()) : verdict;
}

/// Runs the manager until a signal or a fatal error stops it. Returns the exit status.
int manage(SubnetManager& sm, ResidentServices& services, ActiveSettings& active,
           const Attachment& attachment, RunHooks& hooks) {
  if (attachment.emulated) hooks.pace = Pace(*attachment.clock);
  hooks.stepped = [&](SubnetManager& manager) {
    services.step(manager);
    active.dump_vports(manager);
  };
  run_resident(sm, hooks);
  services.end();
  log::info("Exiting SM");
  return sm.fatal() ? report_fatal(sm) : 0;
}

/// Applies the part of the sandbox that must precede the start of threads.
Status begin_sandbox(const Settings& settings) {
  if (settings.sandbox) {
    if (!lock_memory())
      log::info(
          "sandbox: memory could not be locked and can be swapped out: expected an unlimited "
          "RLIMIT_MEMLOCK");
    const auto hidden = hide_memory();
    return hidden ? drop_capabilities() : hidden;
  }
  log::warn(
      "SANDBOX OFF: all capabilities and system calls stay available: remove 'sandbox FALSE' "
      "(--no_sandbox) unless a plugin needs them");
  return {};
}

/// Applies the part of the sandbox that follows the start: the kernel refuses system calls that the
/// manager no longer needs.
Status complete_sandbox(const Settings& settings) {
  if (!settings.sandbox) return {};
  if (!can_restrict_system_calls()) {
    log::warn("sandbox: this build has a sanitizer and restricts no system calls");
    return {};
  }
  const SandboxNeeds needs{.programs = !settings.event_plugin_name.empty() || has_loaded_engines()};
  if (auto status = restrict_system_calls(needs); !status) return status;
  log::info("sandbox: system calls restricted, programs {}",
            needs.programs ? "allowed for plugins" : "forbidden");
  return {};
}

/// Attaches the manager to its fabric and runs it.
int run_manager(const SmArguments& arguments, Settings& settings, const ManagerOptions& options) {
  const bool emulated = !arguments.emulate.empty();
  const auto operation = Operation::prepare(arguments, settings);
  if (!operation) return report(operation.error());
  if (settings.daemon)
    if (const auto status = daemonize(pid_file(arguments, settings)); !status)
      return report(status.error());
  if (const auto status = (*operation)->start_processes(settings.sandbox); !status)
    return report(status.error());
  if (const auto status = begin_sandbox(settings); !status) return report(status.error());
  const auto attachment = emulated ? attach_to_emulation(arguments, settings)
                                   : attach_to_device(settings, !arguments.once);
  if (!attachment) return report(attachment.error());
  log::info("Weft {} on {}", kVersion, (*attachment)->where);
  if (emulated) log_emulated_files(arguments, settings);
  catch_signals();
  if (const auto started = (*operation)->start(); !started) return report(started.error());

  SmOptions sm_options = options.sm;
  sm_options.own_port_guid = (*attachment)->port_guid;
  sm_options.more_own_ports = (*attachment)->more_ports;
  keep_freed_blocks(kFreedTablesKept);
  SubnetManager sm(*(*attachment)->transport, *(*attachment)->clock, std::move(sm_options));
  ActiveSettings active(arguments, settings, **operation);
  RunHooks hooks = hooks_of(active, **operation);
  std::optional<ResidentServices> services;
  if (!arguments.once)
    services.emplace(arguments, settings, options.sa, options.congestion, **attachment, **operation)
        .follow(active);
  if (const auto status = complete_sandbox(settings); !status) return report(status.error());
  if (arguments.once) return bring_up(sm, arguments, settings, active, hooks);
  return manage(sm, *services, active, **attachment, hooks);
}

int run_sm(const SmArguments& parsed) {
  SmArguments arguments = parsed;
  std::optional<EmulatedFolder> own_files;
  if (!arguments.emulate.empty() && !arguments.once && arguments.create_config.empty()) {
    auto folder = EmulatedFolder::create();
    if (!folder) return report(folder.error());
    arguments.emulated_folder = own_files.emplace(std::move(*folder)).path();
  }
  std::vector<std::string> warnings;
  auto settings = settings_of(arguments, warnings);
  if (!settings) return report(settings.error());
  if (!arguments.create_config.empty()) return create_config(arguments.create_config, *settings);
  if (lists_ports(arguments)) return list_ports();
  LogDestination log = log_place(arguments, log_flags(arguments, *settings));
  log.truncates_file = !settings->accum_log_file;
  if (const auto opened = open_log(*settings, log); !opened) return report(opened.error());
  const auto options = read_options(arguments, *settings, std::move(warnings));
  if (!options) return report(options.error());
  return run_manager(arguments, *settings, *options);
}

Run set_up_sm(CLI::App& app) {
  auto arguments = std::make_shared<SmArguments>();
  add_sm_options(app, *arguments);
  app.set_version_flag("--version", version_text("weft"));  // also for `opensm --version`
  return [arguments] { return run_sm(*arguments); };
}

}  // namespace

const Subcommand kSmSubcommand{"sm", "Run the subnet manager, with opensm's options", &set_up_sm};

}  // namespace weft::cli
