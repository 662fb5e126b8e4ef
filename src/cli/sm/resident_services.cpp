// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/resident_services.h"

#include <algorithm>
#include <chrono>

#include "service/config/options.h"

namespace weft::cli {
namespace {

/// The options of the performance manager, with a counter database in the folder of persistent
/// files unless perfmgr_retention_days is 0.
PerformanceOptions performance_options(const SmArguments& arguments, const Settings& settings) {
  PerformanceOptions options = weft::performance_options(settings);
  const std::string folder = cache_directory(arguments, settings);
  if (!folder.empty() && settings.perfmgr_retention_days > 0)
    options.database_file = folder + "/perfmgr.sqlite";
  return options;
}

/// The options with the files of keys in the folder of persistent files, in the format of
/// guid2mkey. Versions of keys derive from the time since 1970, so that managers with synchronized
/// clocks use the same versions. On an emulated fabric, versions derive from the virtual clock.
GmpOptions gmp_options(const SmArguments& arguments, const Settings& settings,
                       const CongestionOptions& congestion, std::chrono::nanoseconds epoch) {
  GmpOptions options;
  options.performance = performance_options(arguments, settings);
  options.congestion = congestion;
  options.vendor_keys = class_key_options(settings, KeyedClass::kVendor);
  options.node_keys = class_key_options(settings, KeyedClass::kNodeToNode);
  const std::string folder = cache_directory(arguments, settings);
  for (const auto& [keys, file] : {std::pair(&options.congestion.keys, "/guid2cckey"),
                                   {&options.vendor_keys, "/guid2vskey"},
                                   {&options.node_keys, "/guid2n2nkey"}}) {
    keys->epoch = epoch;
    if (!folder.empty()) keys->file = folder + file;
  }
  return options;
}

/// Time since 1970 at which the clock of the attachment is zero; zero on an emulated fabric.
std::chrono::nanoseconds epoch_of(const Attachment& attachment) {
  if (attachment.emulated) return std::chrono::nanoseconds{0};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch()) -
         attachment.clock->now();
}

/// An emulated manager may read files of the machine's subnet manager (-F opensm.conf), but changes
/// the default partition file only if the command line names it.
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

}  // namespace

ResidentServices::ResidentServices(const SmArguments& arguments, const Settings& settings,
                                   const SaOptions& sa_options, const CongestionOptions& congestion,
                                   Attachment& attachment, Operation& operation)
    : arguments_(arguments),
      sa_options_(sa_options),
      operation_(operation),
      administration_(attachment, sa_options),
      epoch_(epoch_of(attachment)),
      database_file_(attachment.counters == nullptr
                         ? ""
                         : performance_options(arguments, settings).database_file),
      clock_(*attachment.clock),
      load_aware_(!attachment.emulated),
      gmp_managers_({attachment.counters, attachment.congestion, attachment.vendor_keys,
                     attachment.node_keys},
                    *attachment.clock, !attachment.emulated,
                    gmp_options(arguments, settings, congestion, epoch_)) {
  set_dump_path(settings);
  gmp_managers_.report_errors_to(
      [this](const std::vector<ErrorRise>& rises) { operation_.errors_rose(rises); });
  gmp_managers_.report_readings_to(
      [this](const CounterStore& store, const Snapshot& snapshot, TimeNs now) {
        operation_.alarms().take(store, snapshot, now);
        load_aware_.take(store, snapshot, now);
      });
  operation_.partition_changes().on_change = [this](const PartitionFile& changed) {
    set_partition_sls(changed, sa_options_);
    administration_.set_options(sa_options_);
  };
  if (attachment.emulated) cables_.emplace(*attachment.emulated);
  if (auto replication = operation.board().replication.get())
    replication_.emplace(std::move(replication), operation.board(), administration_,
                         cache_directory(arguments, settings));
  register_handlers();
}

void ResidentServices::register_handlers() {
  SmBoard& board = operation_.board();
  board.set_performance_handler(gmp_managers_.performance_handler());
  board.counters_source.set(gmp_managers_.counters_source());
  board.sa_access.set([this](auto call) { return administration_.execute(std::move(call)); });
  board.sa_meter.set(administration_.meter());
  board.congestion_meter.set(gmp_managers_.congestion_meter());
  board.counter_database.set(database_file_);
  board.partitions_handler.set(
      [this](const PartitionOrder& order) { return change_partitions(order); });
  board.cables_handler.set([this](const CableOrder& order) { return change_cable(order); });
}

void ResidentServices::follow(ActiveSettings& active) {
  active.on_sa_options = [this](const SaOptions& changed) {
    sa_options_ = changed;
    administration_.set_options(changed);
  };
  active.on_settings = [this](const Settings& changed, const CongestionOptions& congestion) {
    gmp_managers_.set_options(gmp_options(arguments_, changed, congestion, epoch_));
    set_dump_path(changed);
  };
  if (replication_)
    replication_->reload = [&active](SubnetManager& manager) { active.reload(manager); };
}

void ResidentServices::step(SubnetManager& manager) {
  if (replication_) replication_->step(manager);
  administration_.step(manager);
  gmp_managers_.step(manager);
  load_aware_.step(manager, clock_.now());
  operation_.stepped(manager);
  if (cables_) cables_->step();
}

void ResidentServices::end() {
  if (replication_) replication_->end();
  operation_.partition_changes().end();
  if (cables_) cables_->end();
  SmBoard& board = operation_.board();
  board.partitions_handler.set(nullptr);
  board.cables_handler.set(nullptr);
  board.set_performance_handler(nullptr);
  board.counters_source.set(nullptr);
  board.sa_access.set(nullptr);
}

void ResidentServices::set_dump_path(const Settings& settings) {
  const std::string folder = dump_place(arguments_, settings, 0).folder;
  std::string path = folder.empty() ? "" : folder + "/opensm-sa.dump";
  if (!settings.sa_db_dump_file.empty() && !settings.emulated) path = settings.sa_db_dump_file;
  administration_.dump_to(
      path, settings.sa_db_dump && !path.empty()
                ? std::chrono::seconds(std::max<std::uint64_t>(settings.sweep_interval, 1))
                : TimeNs{0});
}

Result<PartitionOutcome> ResidentServices::change_partitions(const PartitionOrder& order) {
  const SmBoard::Posted posted = operation_.board().read();
  if (const auto allowed = check_may_change(arguments_, *posted.settings); !allowed)
    return forward(allowed);
  return operation_.partition_changes().carry_out(order, posted);
}

Result<CableOutcome> ResidentServices::change_cable(const CableOrder& order) {
  if (cables_) return cables_->submit(order, operation_.board().read().snapshot.get());
  return fail(Code::kRejected,
              "the fabric is not emulated: links can be cut and restored only under `weft sm "
              "--emulate FABRIC`");
}

}  // namespace weft::cli
