// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The settings of a running manager, changed by SIGHUP and by requests of the console, HTTP and the
// replication; and the dumps that these settings require after sweeps.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cli/sm/sm_arguments.h"
#include "cli/sm/sm_operation.h"
#include "gmp/options.h"
#include "sa/options.h"
#include "service/config/settings.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

class ActiveSettings {
 public:
  /// `arguments`, `settings` and `operation` must outlive this object.
  ActiveSettings(const SmArguments& arguments, Settings& settings, Operation& operation);

  /// SIGHUP: reads all files again. After an error the previous settings remain active. Settings
  /// that require a restart keep their values.
  void reload(SubnetManager& manager);
  void reopen_log() const;
  /// Applies a request of the console, HTTP or the replication to the settings: the priority and
  /// the log flags.
  void carry_out(const SmRequest& request);
  /// Writes the dumps after a heavy sweep or an incremental discovery, if dump_place() requires
  /// dumps after sweeps.
  void dump(const SubnetManager& manager);
  /// Writes virt_dump_file if virtual ports changed, at most once in a second. Call at every step.
  void dump_vports(const SubnetManager& manager);
  /// The error of the last failed dump to a folder with DumpPlace::is_explicit; success if there
  /// was none.
  const Status& dump_status() const { return dumped_; }

  /// Called during a reload, once all settings are valid.
  std::function<void(const SaOptions&)> on_sa_options;
  std::function<void(const Settings&, const CongestionOptions&)> on_settings;

 private:
  void set_flags(unsigned flags);

  const SmArguments& arguments_;
  Settings& settings_;
  Operation& operation_;
  unsigned flags_ = 0;
  Status dumped_;
  std::weak_ptr<const Snapshot> dumped_vports_;  // as in virt_dump_file
  std::string vport_dump_path_;                  // virt_dump_file when it was written; empty: never
  std::chrono::steady_clock::time_point vport_dump_due_{};
};

}  // namespace weft::cli
