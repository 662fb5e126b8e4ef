// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/active_settings.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "service/config/options.h"
#include "service/log.h"
#include "sm/dumps.h"
#include "sm/vport_dump.h"

namespace weft::cli {

ActiveSettings::ActiveSettings(const SmArguments& arguments, Settings& settings,
                               Operation& operation)
    : arguments_(arguments), settings_(settings), operation_(operation) {
  set_flags(log_flags(arguments, settings));
}

void ActiveSettings::reload(SubnetManager& manager) {
  operation_.reloading();
  std::vector<std::string> warnings;
  auto read = settings_of(arguments_, warnings);
  if (read) keep_restart_only_settings(settings_, *read, warnings);
  auto options = read ? sm_options(*read, warnings) : Result<SmOptions>(forward(read));
  auto sa_settings = read ? sa_options(*read) : Result<SaOptions>(forward(read));
  if (!sa_settings) options = forward(sa_settings);
  auto congestion = read ? congestion_options(*read) : Result<CongestionOptions>(forward(read));
  if (!congestion) options = forward(congestion);
  if (const auto levels = read ? module_levels(*read, warnings) : ModuleLevels(); !levels)
    options = forward(levels);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (options) {
    options->cache_dir = cache_directory(arguments_, *read);
    set_partition_sls(options->partitions, *sa_settings);
    manager.set_options(std::move(*options));
    if (on_sa_options) on_sa_options(*sa_settings);
    settings_ = std::move(*read);
    if (on_settings) on_settings(settings_, *congestion);
    set_flags(log_flags(arguments_, settings_));
    reopen_log();
  } else {
    log::error("{}: the previous settings remain active", options.error().message);
  }
  operation_.reloaded(settings_, flags_);
}

void ActiveSettings::reopen_log() const {
  if (const auto opened = open_log(settings_, log_place(arguments_, flags_)); !opened)
    log_to_stderr(spdlog::level::warn);
}

void ActiveSettings::carry_out(const SmRequest& request) {
  if (request.kind == SmRequest::Kind::kPriority) settings_.sm_priority = request.value;
  if (request.kind == SmRequest::Kind::kLogFlags) {
    settings_.log_flags = request.value;
    set_flags(request.value);
    reopen_log();
  }
  operation_.reloaded(settings_, flags_);
}

void ActiveSettings::dump(const SubnetManager& manager) {
  const auto snapshot = manager.snapshot();
  const DumpPlace place = dump_place(arguments_, settings_, flags_);
  if (place.folder.empty() || !place.after_sweeps || !snapshot) return;
  Status done = check_folder(place);
  if (done)
    done = write_dumps(snapshot->fabric, snapshot->routes, place.folder,
                       {.sm = snapshot->sm,
                        .lanes = &snapshot->lanes,
                        .subnet_only = !place.everything,
                        .threads = static_cast<unsigned>(settings_.threads)});
  if (done) return;
  if (place.is_explicit) {
    log::error("{}", done.error().message);
    dumped_ = done;
  } else {
    log::warn("{}", done.error().message);
  }
}

void ActiveSettings::dump_vports(const SubnetManager& manager) {
  constexpr auto kVportDumpPause = std::chrono::seconds(1);
  const std::string& path = settings_.virt_dump_file;
  if (path.empty()) return;
  const auto snapshot = manager.snapshot();
  const bool is_written = path == vport_dump_path_;
  if (!snapshot || (is_written && snapshot == dumped_vports_.lock())) return;
  const auto now = std::chrono::steady_clock::now();
  if (is_written && now < vport_dump_due_) return;
  vport_dump_due_ = now + kVportDumpPause;
  vport_dump_path_ = path;
  dumped_vports_ = snapshot;
  if (const auto done = write_vport_dump(*snapshot, path); !done)
    log::error("cannot write virt_dump_file: {}", done.error().message);
}

void ActiveSettings::set_flags(unsigned flags) {
  flags_ = flags;
  operation_.set_log_flags(flags);
}

}  // namespace weft::cli
