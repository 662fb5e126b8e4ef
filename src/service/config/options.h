// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Converts Settings to the options of the other layers: reads the files that settings name, and
// determines which partition file is read and which is written.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gmp/options.h"
#include "ib/gmps/class_keys.h"
#include "sa/options.h"
#include "service/config/settings.h"
#include "sm/options.h"

namespace weft {

/// The engines that routing_engine selects; the default engine if the value is empty. Fails with
/// kUsage, and as load_engine_files().
Result<EngineChoice> engine_choice(const Settings& settings);

/// Reads the files that the settings name; warnings refer to their lines. A missing torus_config is
/// no error if it is the default.
Result<RoutingInputs> routing_inputs(const Settings& settings, std::vector<std::string>& warnings);

/// Replaces the default file names, because those files belong to the real subnet manager of the
/// machine. An emulated manager stores its partitions in `folder` (empty: does not store them) and
/// reads no default files; its console socket is in `folder` if that is not empty.
void use_emulated_files(Settings& settings, const std::string& folder);

/// Default of partition_config_file; the file need not exist.
std::string default_partition_file(const Settings& settings);

/// The file to which changes of partitions are written: partition_config_file, or, if that is the
/// default, a file of the same name in the state folder, because a manager without privileges
/// cannot write to /etc.
std::string changed_partition_file(const Settings& settings);

/// The file that defines the partitions: changed_partition_file() once it exists, else
/// partition_config_file.
std::string active_partition_file(const Settings& settings);

/// A warning if `original` is newer than its copy `changed`, because only the copy is read. Empty
/// if `original` is not newer, if a file is missing, or if both are the same file.
std::string newer_file_warning(const std::string& original, const std::string& changed);

VerifyMode verify_mode(const Settings& settings);

/// The largest number of VLs that max_op_vls and its forms for types of nodes leave for routes.
unsigned vls_for_routes(const Settings& settings);

/// All options of the subnet manager except the folder of its files.
Result<SmOptions> sm_options(const Settings& settings, std::vector<std::string>& warnings);

/// All options of the subnet administration except the SLs of partitions (set_partition_sls()). A
/// missing prefix_routes_file is no error if it is the default.
Result<SaOptions> sa_options(const Settings& settings);
/// Copies the SLs of the partitions to `options`; without QoS, `options` has no SLs of partitions.
void set_partition_sls(const PartitionFile& partitions, SaOptions& options);

/// All options of the performance manager except the path of its database.
PerformanceOptions performance_options(const Settings& settings);

/// The options of congestion control. Fails with kBadInput if mlnx_congestion_control is 2 without
/// congestion_control_policy_file. Fails if a file of programmable congestion control cannot be
/// read or is invalid.
Result<CongestionOptions> congestion_options(const Settings& settings);
/// The options of class keys except the file and the epoch.
ClassKeyOptions class_key_options(const Settings& settings, KeyedClass keyed);

/// Call after a reload. For each key that requires a restart and has another value in `read` than
/// in `current`: restores the old value in `read` and adds a warning.
void keep_restart_only_settings(const Settings& current, Settings& read,
                                std::vector<std::string>& warnings);

}  // namespace weft
