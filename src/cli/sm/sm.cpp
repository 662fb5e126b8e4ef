// weft sm: the subnet manager, on a port of this machine or on an emulated fabric.

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/routes/quality_text.h"
#include "cli/sm/emulated_cables.h"
#include "cli/sm/emulated_folder.h"
#include "cli/sm/gmp_managers.h"
#include "cli/sm/sm_arguments.h"
#include "cli/sm/sm_operation.h"
#include "cli/sm/sm_run.h"
#include "cli/version.h"
#include "cli/version_text.h"
#include "congestion/quality.h"
#include "emulator/emulated_fabric.h"
#include "sa/reporter.h"
#include "sa/sa_thread.h"
#include "service/config/config_file.h"
#include "service/config/options.h"
#include "service/daemon.h"
#include "service/log.h"
#include "sm/dumps.h"
#include "transport/umad_transport.h"

namespace weft::cli {
namespace {

/// The transport and clock of the manager: an emulated fabric with a virtual clock, or a port of
/// this machine with the real clock.
struct Attachment {
  std::unique_ptr<Fabric> fabric;  // of the emulated fabric
  std::unique_ptr<EmulatedFabric> emulated;
  std::unique_ptr<UmadTransport> device;
  RealClock real_clock;
  SmpTransport* transport = nullptr;
  GmpTransport* queries = nullptr;     // for the SA; null: queries are not answered
  GmpTransport* counters = nullptr;    // for the performance manager; null: disabled
  GmpTransport* congestion = nullptr;  // for congestion control; null: disabled
  const Clock* clock = nullptr;
  std::string where;
};

Result<std::unique_ptr<Attachment>> attach_to_emulation(const SmArguments& arguments,
                                                        const Settings& settings) {
  auto input = load({arguments.emulate, {.format = arguments.format, .ibnl_dir = {}}});
  if (!input) return forward(input);
  auto attachment = std::make_unique<Attachment>();
  attachment->fabric = std::make_unique<Fabric>(std::move(input->fabric));
  const Fabric& fabric = *attachment->fabric;
  EndportId sm_port = kNoEndport;
  if (settings.guid == 0) {  // default: the first host, else the first switch
    for (std::uint32_t i = 0; i < fabric.endport_count() && sm_port == kNoEndport; ++i)
      if (!fabric.is_switch(fabric.endport(EndportId(i)).node)) sm_port = EndportId(i);
    if (sm_port == kNoEndport && fabric.endport_count() > 0) sm_port = EndportId(0);
  } else {
    sm_port = fabric.find_endport(Guid(settings.guid)).value_or(kNoEndport);
  }
  if (sm_port == kNoEndport)
    return fail(Code::kUsage, "{}: the fabric has no port {} for the subnet manager",
                arguments.emulate,
                settings.guid == 0 ? "at all" : fmt::format("with GUID {:#018x}", settings.guid));
  EmulatorOptions emulator;
  emulator.adaptive = arguments.emulate_adaptive;
  emulator.notifications = arguments.emulate_notifications;
  attachment->emulated = std::make_unique<EmulatedFabric>(fabric, emulator);
  attachment->transport = &attachment->emulated->attach(sm_port);
  attachment->queries = &attachment->emulated->attach_gmps(sm_port, MgmtClass::kSubnAdm);
  if (settings.perfmgr)
    attachment->counters = &attachment->emulated->attach_gmps(sm_port, MgmtClass::kPerf);
  if (settings.congestion_control)
    attachment->congestion = &attachment->emulated->attach_gmps(sm_port, kCongestionClass);
  attachment->clock = &attachment->emulated->clock();
  attachment->where = fmt::format("an emulated fabric ({}), at {}", arguments.emulate,
                                  describe(fabric, fabric.endport(sm_port).port));
  return attachment;
}

/// Time until the last retry of a request times out, ms.
int total_timeout(TimeNs timeout, std::uint64_t retries) {
  constexpr std::uint64_t kMax = 3'600'000;
  const auto each = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<int>(std::min(static_cast<std::uint64_t>(each) * (retries + 1), kMax));
}

UmadClass sa_class() {
  return {MgmtClass::kSubnAdm,
          kSaClassVersion,
          {Method::kGet, Method::kSet, sa_method::kGetTable, sa_method::kGetTraceTable,
           sa_method::kGetMulti, sa_method::kDelete},
          total_timeout(sa::ReportOptions{}.timeout, sa::ReportOptions{}.retries)};
}

/// `serves`: also registers for SA queries and the GMPs of the other managers.
Result<std::unique_ptr<Attachment>> attach_to_device(const Settings& settings, bool serves) {
  std::optional<Guid> guid;
  if (settings.guid != 0) guid = Guid(settings.guid);
  const auto port = choose_umad_port(guid);
  if (!port) return forward(port);
  UmadOptions options;
  options.answer_timeout_ms =
      std::max(options.answer_timeout_ms,
               total_timeout(std::chrono::milliseconds(settings.transaction_timeout),
                             settings.transaction_retries));
  const bool counts = serves && settings.perfmgr;
  const bool throttles = serves && settings.congestion_control;
  if (serves) options.classes.push_back(sa_class());
  if (counts) options.classes.push_back({.mgmt_class = MgmtClass::kPerf});
  if (throttles) options.classes.push_back({kCongestionClass, kCongestionClassVersion});
  auto device = UmadTransport::open(*port, options);
  if (!device) return forward(device);
  auto attachment = std::make_unique<Attachment>();
  attachment->device = std::move(*device);
  attachment->transport = attachment->device.get();
  if (serves) attachment->queries = &attachment->device->gmps(MgmtClass::kSubnAdm);
  if (counts) attachment->counters = &attachment->device->gmps(MgmtClass::kPerf);
  if (throttles) attachment->congestion = &attachment->device->gmps(kCongestionClass);
  attachment->clock = &attachment->real_clock;
  attachment->where =
      fmt::format("{} port {} (0x{:016x})", port->device, port->number, port->guid.value());
  return attachment;
}

std::string_view text_of(PortState state) {
  switch (state) {
    case PortState::kDown:
      return "down";
    case PortState::kInit:
      return "init";
    case PortState::kArmed:
      return "armed";
    case PortState::kActive:
      return "active";
    case PortState::kNoChange:
      break;
  }
  return "state unknown";
}

int list_ports() {
  const auto ports = list_umad_ports();
  if (!ports) return report(ports.error());
  for (const UmadPort& port : *ports)
    append_to_stdout(fmt::format("0x{:016x}  {} port {}, LID {}, {}\n", port.guid.value(),
                                 port.device, port.number, port.lid.value(), text_of(port.state)));
  return 0;
}

/// -g 0
bool asks_for_ports(const SmArguments& arguments) {
  return std::ranges::any_of(arguments.assignments, [](const Assignment& given) {
    return given.key == "guid" && parse_c_number<std::uint64_t>(given.value) == 0;
  });
}

double rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double wire_seconds(const SweepReport& sweep) {
  return sweep.seconds.observe + sweep.seconds.read_tables + sweep.seconds.apply;
}

Json transition_json(const TransitionReport& transition) {
  return {{"rounds", transition.rounds},
          {"stages", transition.stages},
          {"extra_writes", transition.extra_writes},
          {"lids_ordered", transition.ordered_lids},
          {"lids_without_order", transition.unordered_lids},
          {"dependencies",
           {{"while_tables_change", name(transition.tables)},
            {"channels_on_cycles", transition.table_channels},
            {"channels_on_cycles_of_unicast", transition.table_channels_unicast},
            {"rounds_exposed", transition.exposed_rounds},
            {"until_new_sls", name(transition.lanes)},
            {"channels_on_cycles_until_new_sls", transition.lane_channels},
            {"channels_on_cycles_of_unicast_until_new_sls", transition.lane_channels_unicast},
            {"sl_changes", transition.sl_changes}}},
          {"seconds", transition.seconds}};
}

Json sweep_json(const SubnetManager& sm, const Settings& settings, const Quality& quality) {
  const SweepReport& sweep = sm.last_report();
  const auto choice = engine_choice(settings);
  Json json{{"up", sweep.up},
            {"error", sweep.error},
            {"emulated", settings.emulated},
            {"requested", choice ? requested_engines(settings, *choice) : settings.routing_engine},
            {"engine", nullptr},
            {"fallbacks", attempts_json(sweep.engines_failed)},
            {"routes_remembered", sweep.routes_remembered},
            {"smps",
             {{"sent", sweep.smps.sent},
              {"answered", sweep.smps.answered},
              {"retried", sweep.smps.retried},
              {"timed_out", sweep.smps.timed_out},
              {"bad_status", sweep.smps.bad_status},
              {"per_second", rate(sweep.smps.sent, wire_seconds(sweep))}}},
            {"lft_blocks_written", sweep.applied.done_in(Phase::kTables)},
            {"pkey_blocks_written", sweep.applied.done_in(Phase::kPkeys)},
            {"sl2vl_written",
             sweep.applied.done_in(Phase::kSl2Vl) + sweep.applied.done_in(Phase::kSl2VlAtOnce)},
            {"vl_arb_written", sweep.applied.done_in(Phase::kVlArb)},
            {"settings_failed", sweep.applied.failed},
            {"adaptive",
             {{"switches", sweep.adaptive.on},
              {"notifying", sweep.adaptive.notifying},
              {"notification_blocks_written", sweep.adaptive.notifications},
              {"group_blocks_written", sweep.adaptive.groups},
              {"entry_blocks_written", sweep.adaptive.entries},
              {"errors", sweep.adaptive.errors},
              {"ended", sweep.adaptive.ended}}},
            {"transition", transition_json(sweep.transition)},
            {"seconds",
             {{"observe", sweep.seconds.observe},
              {"read_tables", sweep.seconds.read_tables},
              {"lids", sweep.seconds.lids},
              {"route", sweep.seconds.route},
              {"verify", sweep.seconds.verify},
              {"diff", sweep.seconds.diff},
              {"apply", sweep.seconds.apply}}},
            {"warnings", sweep.warnings}};
  if (const auto snapshot = sm.snapshot()) {
    json["engine"] = snapshot->routes.engine;
    json["vls"] = snapshot->routes.vls;
    json["lanes_programmed"] = snapshot->lanes.is_set();
    json["notes"] = snapshot->routes.notes;
    json["steps"] = steps_json(snapshot->routes.steps);
    json["fabric"] = fabric_json(snapshot->fabric);
    json["adaptive"]["routes"] = adaptive_json(snapshot->routes);
    json["verify"] = verdict_json(snapshot->fabric, snapshot->verdict);
    json["quality"] = quality_json(quality);
  }
  json["peak_rss_bytes"] = peak_rss_bytes();
  return json;
}

std::string sweep_text(const SubnetManager& sm, const Quality& quality) {
  const SweepReport& sweep = sm.last_report();
  const auto snapshot = sm.snapshot();
  const Fabric& fabric = snapshot->fabric;
  std::string text = sweep.up ? "SUBNET UP\n" : "the subnet is not up: " + sweep.error + "\n";
  text += fmt::format("fabric              {} hosts, {} switches, {} links\n", fabric.ca_count(),
                      fabric.switch_count(), fabric.link_count());
  text += fmt::format(
      "SMPs                {} sent, {} retried, {:.0f} per second; {} table blocks written\n",
      sweep.smps.sent, sweep.smps.retried, rate(sweep.smps.sent, wire_seconds(sweep)),
      sweep.applied.done_in(Phase::kTables));
  text += fmt::format(
      "time                {:.3f} s: discover {:.3f}, route {:.3f}, verify {:.3f}, program "
      "{:.3f}\n",
      wire_seconds(sweep) + sweep.seconds.route + sweep.seconds.verify, sweep.seconds.observe,
      sweep.seconds.route, sweep.seconds.verify, sweep.seconds.apply);
  for (const EngineAttempt& attempt : sweep.engines_failed)
    text += fmt::format("{:<19} failed: {}\n", attempt.engine, attempt.reason);
  text += fmt::format("routed by           {}, {} VL{}\n", snapshot->routes.engine,
                      snapshot->routes.vls, snapshot->routes.vls == 1 ? "" : "s");
  text += steps_text(snapshot->routes.steps);
  text += quality_text(quality);
  if (snapshot->routes.adaptive)
    text += fmt::format("adaptive switches   {} of {}, {} of them send fault notifications\n",
                        sweep.adaptive.on, fabric.switch_count(), sweep.adaptive.notifying);
  return text + adaptive_text(snapshot->routes) + verdict_text(fabric, snapshot->verdict);
}

int finish_once(const SubnetManager& sm, const SmArguments& arguments, const Settings& settings) {
  const auto snapshot = sm.snapshot();
  if (!snapshot) {
    if (arguments.json) print(sweep_json(sm, settings, {}));
    return report({Code::kUnroutable, sm.last_report().error});
  }
  if (arguments.json || !arguments.emulate.empty()) {
    const Quality quality = assess(snapshot->fabric, snapshot->routes,
                                   {.threads = static_cast<unsigned>(settings.threads)});
    if (arguments.json) {
      print(sweep_json(sm, settings, quality));
    } else {
      append_to_stdout(sweep_text(sm, quality));
    }
  } else {
    append_to_stdout(sm.last_report().up ? "SUBNET UP\n" : "Errors during initialization\n");
  }
  return sm.last_report().up ? 0 : 1;
}

/// Keeps the virtual clock of the emulator at real-time speed.
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

/// The subnet administration (SA) of the manager. It runs on its own thread, but on an emulated
/// fabric it is stepped with the manager, so that results depend on the seed only.
class SubnetAdministration {
 public:
  using Call = std::function<void(const SaServer&)>;

  SubnetAdministration(const Attachment& attachment, const SaOptions& options)
      : attachment_(attachment) {
    if (attachment.emulated)
      server_.emplace(options, send_by(*attachment.queries));
    else
      thread_.emplace(options, *attachment.queries, *attachment.clock);
    if (thread_ && attachment.device)
      attachment.device->set_early_handler(
          MgmtClass::kSubnAdm, [this](const Gmp& gmp) { return thread_->answer_at_once(gmp); });
  }
  ~SubnetAdministration() {
    if (thread_ && attachment_.device)
      attachment_.device->set_early_handler(MgmtClass::kSubnAdm, {});
  }
  SubnetAdministration(const SubnetAdministration&) = delete;
  SubnetAdministration& operator=(const SubnetAdministration&) = delete;
  void step(SubnetManager& sm) {
    if (auto snapshot = sm.snapshot(); snapshot != published_) {
      published_ = snapshot;
      if (server_) server_->publish(snapshot);
      if (thread_) thread_->publish(snapshot);
    }
    for (const Notice& trap : sm.take_traps()) {
      if (server_) server_->on_trap(trap);
      if (thread_) thread_->on_trap(trap);
    }
    if (server_) {
      for (const auto& call : take_posted()) call(*server_);
      serve(*server_, *attachment_.queries, *attachment_.clock);
    }
    if (auto groups = server_ ? server_->take_multicast_groups() : thread_->take_multicast_groups())
      sm.set_multicast_groups(std::move(*groups));
    if (auto aliases = server_ ? server_->take_alias_guids() : thread_->take_alias_guids())
      sm.set_alias_guids(std::move(*aliases));
    if (dump_every_.count() > 0) keep_dump();
  }
  /// Called from another thread than step(): runs `call` between two requests of the server.
  /// Returns false after kCallTimeout; `call` may still run later.
  bool execute(Call call) {
    auto done = std::make_shared<std::promise<void>>();
    auto finished = done->get_future();
    auto post = [done, call = std::move(call)](const SaServer& server) {
      call(server);
      done->set_value();
    };
    if (thread_) {
      thread_->post(std::move(post));
    } else {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(post));
    }
    return finished.wait_for(kCallTimeout) == std::future_status::ready;
  }
  std::shared_ptr<const sa::Meter> meter() const {
    return server_ ? server_->meter() : thread_->meter();
  }
  /// Writes opensm-sa.dump to `path` at this interval if it has changed; 0: never.
  void dump_to(std::string path, TimeNs every) {
    dump_path_ = std::move(path);
    dump_every_ = every;
  }
  void set_options(const SaOptions& options) {
    if (server_) server_->set_options(options);
    if (thread_) thread_->set_options(options);
  }

 private:
  static constexpr std::chrono::seconds kCallTimeout{2};

  std::vector<Call> take_posted() {
    const std::lock_guard lock(mutex_);
    return std::exchange(posted_, {});
  }

  void keep_dump() {
    const TimeNs now = attachment_.clock->now();
    std::optional<std::string> dump;
    if (thread_) dump = thread_->take_dump();
    if (now >= next_dump_) {
      next_dump_ = now + dump_every_;
      if (thread_) thread_->request_dump();
      if (server_) dump = server_->dump(now);
    }
    if (!dump || dump->empty() || *dump == dumped_) return;
    if (const auto written = write_file(dump_path_, *dump, 0600); !written)
      log::error("{}", written.error().message);
    dumped_ = std::move(*dump);
  }

  const Attachment& attachment_;
  std::string dump_path_, dumped_;
  TimeNs dump_every_{0}, next_dump_{0};
  std::shared_ptr<const Snapshot> published_;
  std::mutex mutex_;
  std::vector<Call> posted_;  // without a thread: executed by step()
  std::optional<SaServer> server_;
  std::optional<SaThread> thread_;
};

/// Adds the path of the counter database, in the folder of the persistent files.
PerformanceOptions performance_options(const SmArguments& arguments, const Settings& settings) {
  PerformanceOptions options = weft::performance_options(settings);
  const std::string folder = cache_directory(arguments);
  if (!folder.empty() && settings.perfmgr_retention_days > 0)
    options.database_file = folder + "/perfmgr.sqlite";
  return options;
}

/// -c: writes the effective settings with all keys.
int create_config(const std::string& path, const Settings& settings) {
  const auto status = write_file(path, config_text(settings));
  return status ? 0 : report(status.error());
}

/// The settings of a running manager, changed by signals and the console.
class ActiveSettings {
 public:
  ActiveSettings(const SmArguments& arguments, Settings& settings, Operation& operation)
      : arguments_(arguments), settings_(settings), operation_(operation) {
    set_flags(log_flags(arguments, settings));
  }

  /// SIGHUP: reads all files again. After an error the old settings stay.
  void reload(SubnetManager& manager) {
    operation_.reloading();
    std::vector<std::string> warnings;
    auto read = settings_of(arguments_, warnings);
    if (read) keep_restart_only_settings(settings_, *read, warnings);
    auto options = read ? sm_options(*read, warnings) : Result<SmOptions>(forward(read));
    auto sa_settings = read ? sa_options(*read) : Result<SaOptions>(forward(read));
    if (!sa_settings) options = forward(sa_settings);
    if (const auto levels = read ? module_levels(*read, warnings) : ModuleLevels(); !levels)
      options = forward(levels);
    for (const std::string& warning : warnings) log::warn("{}", warning);
    if (options) {
      options->cache_dir = cache_directory(arguments_);
      set_partition_sls(options->partitions, *sa_settings);
      manager.set_options(std::move(*options));
      if (on_sa_options) on_sa_options(*sa_settings);
      settings_ = std::move(*read);
      if (on_settings) on_settings(settings_);
      set_flags(log_flags(arguments_, settings_));
      reopen_log();
    } else {
      log::error("{}: the old settings stay", options.error().message);
    }
    operation_.reloaded(settings_, flags_);
  }

  void reopen_log() const {
    if (const auto opened = open_log(settings_, log_place(arguments_, flags_)); !opened)
      log_to_stderr(spdlog::level::warn);
  }

  /// Executes the console requests that the manager does not execute itself.
  void carry_out(const SmRequest& request) {
    if (request.kind == SmRequest::Kind::kPriority) settings_.sm_priority = request.value;
    if (request.kind == SmRequest::Kind::kLogFlags) {
      settings_.log_flags = request.value;
      set_flags(request.value);
      reopen_log();
    }
    operation_.reloaded(settings_, flags_);
  }

  void dump(const SubnetManager& manager) {
    const auto snapshot = manager.snapshot();
    const DumpPlace place = dump_place(arguments_, settings_, flags_);
    if (place.folder.empty() || !place.after_sweeps || !snapshot) return;
    Status done = check_folder(place);
    if (done)
      done = write_dumps(
          snapshot->fabric, snapshot->routes, place.folder,
          {.sm = snapshot->sm, .lanes = &snapshot->lanes, .subnet_only = !place.everything});
    if (done) return;
    if (place.is_explicit) {
      log::error("{}", done.error().message);
      dumped_ = done;
    } else {
      log::warn("{}", done.error().message);
    }
  }
  /// Called after a successful reload.
  std::function<void(const SaOptions&)> on_sa_options;
  std::function<void(const Settings&)> on_settings;

  /// The error of the last failed dump if dumps are configured.
  const Status& dumped() const { return dumped_; }

 private:
  void set_flags(unsigned flags) {
    flags_ = flags;
    operation_.set_log_flags(flags);
  }

  const SmArguments& arguments_;
  Settings& settings_;
  Operation& operation_;
  unsigned flags_ = 0;
  Status dumped_;
};

RunHooks hooks_of(ActiveSettings& active, Operation& operation) {
  RunHooks hooks;
  hooks.swept = [&](const SubnetManager& manager) { active.dump(manager); };
  hooks.reopen_log = [&] {
    active.reopen_log();
    operation.reopen();
  };
  hooks.hung_up = [&](SubnetManager& manager) { active.reload(manager); };
  hooks.stepped = [&](SubnetManager& manager) { operation.stepped(manager); };
  hooks.stopping = [&] { operation.stopping(); };
  operation.on_request = [&](const SmRequest& request) { active.carry_out(request); };
  return hooks;
}

/// An emulated manager may read files of the machine's subnet manager (-F opensm.conf), but changes
/// only those that the command line names.
Status check_may_change(const SmArguments& arguments, const Settings& settings) {
  const std::string& path = settings.partition_config_file;
  const bool is_named = std::ranges::find(arguments.assignments, "partition_config_file",
                                          &Assignment::key) != arguments.assignments.end();
  if (!settings.emulated || is_named || path != default_settings().partition_config_file) return {};
  return fail(
      Code::kRejected,
      "{}: this file belongs to the subnet manager of the machine, not to an emulated fabric: "
      "name a file with -P",
      path);
}

/// Logs where an emulated manager writes its files.
void log_emulated_files(const SmArguments& arguments, const Settings& settings) {
  const std::string& folder = arguments.emulated_folder;
  if (!folder.empty())
    log::info("emulated: default files are in {} and are removed at the end", folder);
  const DumpPlace place = dump_place(arguments, settings, log_flags(arguments, settings));
  if (!place.after_sweeps || place.folder != folder) return;
  log::warn("emulated: {}: name a folder with --dump_files_dir to keep them",
            folder.empty() ? "dumps are not written" : "dumps are removed at the end");
}

int run(const SmArguments& given) {
  SmArguments arguments = given;
  const bool emulated = !arguments.emulate.empty();
  std::optional<EmulatedFolder> own_files;
  if (emulated && !arguments.once && arguments.create_config.empty()) {
    auto folder = EmulatedFolder::create();
    if (!folder) return report(folder.error());
    arguments.emulated_folder = own_files.emplace(std::move(*folder)).path();
  }
  std::vector<std::string> warnings;
  auto read = settings_of(arguments, warnings);
  if (!read) return report(read.error());
  Settings& settings = *read;
  if (!arguments.create_config.empty()) return create_config(arguments.create_config, settings);
  if (asks_for_ports(arguments)) return list_ports();
  LogDestination log = log_place(arguments, log_flags(arguments, settings));
  log.truncates_file = !settings.accum_log_file;
  if (const auto opened = open_log(settings, log); !opened) return report(opened.error());
  auto options = sm_options(settings, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!options) return report(options.error());
  auto sa_settings = sa_options(settings);
  if (!sa_settings) return report(sa_settings.error());
  set_partition_sls(options->partitions, *sa_settings);
  if (arguments.once && options->sm_inactive)
    return report(
        {Code::kUsage, "--once: an inactive manager (sm_inactive, -I) cannot bring up the subnet"});
  options->cache_dir = cache_directory(arguments);
  const auto operation = Operation::prepare(arguments, settings);
  if (!operation) return report(operation.error());
  if (settings.daemon)
    if (const auto status = daemonize(arguments.pid_file); !status) return report(status.error());
  const auto attachment = emulated ? attach_to_emulation(arguments, settings)
                                   : attach_to_device(settings, !arguments.once);
  if (!attachment) return report(attachment.error());
  log::info("Weft {} on {}", kVersion, (*attachment)->where);
  if (emulated) log_emulated_files(arguments, settings);
  catch_signals();
  if (const auto started = (*operation)->start(); !started) return report(started.error());

  SubnetManager sm(*(*attachment)->transport, *(*attachment)->clock, *options);
  ActiveSettings active(arguments, settings, **operation);
  RunHooks hooks = hooks_of(active, **operation);
  if (arguments.once) {
    run_once(sm, hooks);
    log::info("Exiting SM");
    if (sm.fatal()) return report(*sm.fatal());
    if (stop_asked()) return report({Code::kEnvironment, "stopped by a signal"});
    const int verdict = finish_once(sm, arguments, settings);
    return verdict == 0 && !active.dumped() ? report(active.dumped().error()) : verdict;
  }
  if ((*attachment)->emulated) hooks.pace = Pace(*(*attachment)->clock);
  SubnetAdministration administration(**attachment, *sa_settings);
  const auto set_dump_path = [&](const Settings& now) {
    const std::string folder = dump_place(arguments, now, 0).folder;
    administration.dump_to(
        folder + "/opensm-sa.dump",
        now.sa_db_dump && !folder.empty()
            ? std::chrono::seconds(std::max<std::uint64_t>(now.sweep_interval, 1))
            : TimeNs{0});
  };
  set_dump_path(settings);
  GmpManagers gmp_managers((*attachment)->counters, (*attachment)->congestion,
                           *(*attachment)->clock, !(*attachment)->emulated,
                           performance_options(arguments, settings), congestion_options(settings));
  gmp_managers.report_errors_to(
      [&](const std::vector<ErrorRise>& rises) { (*operation)->errors_rose(rises); });
  active.on_sa_options = [&](const SaOptions& changed) {
    *sa_settings = changed;
    administration.set_options(changed);
  };
  PartitionChanges& partitions = (*operation)->partition_changes();
  partitions.on_change = [&](const PartitionFile& changed) {
    set_partition_sls(changed, *sa_settings);
    administration.set_options(*sa_settings);
  };
  active.on_settings = [&](const Settings& changed) {
    gmp_managers.set_options(performance_options(arguments, changed), congestion_options(changed));
    set_dump_path(changed);
  };
  std::optional<EmulatedCables> cables;
  if ((*attachment)->emulated) cables.emplace(*(*attachment)->emulated);
  hooks.stepped = [&](SubnetManager& manager) {
    administration.step(manager);
    gmp_managers.step(manager);
    (*operation)->stepped(manager);
    if (cables) cables->step();
  };
  SmBoard& board = (*operation)->board();
  board.set_performance_handler(gmp_managers.performance_desk());
  board.counters_source.set(gmp_managers.counters_source());
  board.sa_access.set([&](auto call) { return administration.execute(std::move(call)); });
  board.set_sa_meter(administration.meter());
  board.partitions_handler.set([&](const PartitionOrder& order) -> Result<PartitionOutcome> {
    const SmBoard::Posted posted = board.read();
    if (const auto allowed = check_may_change(arguments, *posted.settings); !allowed)
      return forward(allowed);
    return partitions.carry_out(order, posted);
  });
  board.cables_handler.set([&](const CableOrder& order) -> Result<CableOutcome> {
    if (cables) return cables->submit(order, board.read().snapshot.get());
    return fail(Code::kRejected,
                "the fabric is not emulated: links can be cut and restored only under `weft sm "
                "--emulate FABRIC`");
  });
  run_resident(sm, hooks);
  partitions.end();
  if (cables) cables->end();
  board.partitions_handler.set(nullptr);
  board.cables_handler.set(nullptr);
  board.set_performance_handler(nullptr);
  board.counters_source.set(nullptr);
  board.sa_access.set(nullptr);
  log::info("Exiting SM");
  return sm.fatal() ? report(*sm.fatal()) : 0;
}

}  // namespace

Run add_sm(CLI::App& app) {
  auto arguments = std::make_shared<SmArguments>();
  add_sm_options(app, *arguments);
  app.set_version_flag("--version", version_text("weft"));  // also for `opensm --version`
  return [arguments] { return run(*arguments); };
}

}  // namespace weft::cli
