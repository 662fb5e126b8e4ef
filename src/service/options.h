// From settings as they are written to what the layers below take: engines chosen, files read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gmp/options.h"
#include "sa/options.h"
#include "service/settings.h"
#include "sm/options.h"

namespace weft {

/// routing_engine as a choice; the default engine where it is empty. Fails with kUsage.
Result<EngineChoice> engine_choice(const Settings& settings);

/// Reads the files that are named; warnings are about their lines. torus_config may be missing
/// where it is the default.
Result<RoutingInputs> routing_inputs(const Settings& settings, std::vector<std::string>& warnings);

/// Replaces the files that have a name by default, which belong to the machine's own manager: an
/// emulated one keeps its partitions in `folder` (which may be empty: nothing is kept) and reads no
/// other file that is not named.
void use_emulated_files(Settings& settings, const std::string& folder);

/// The partitions' file where none is named; it need not exist.
std::string default_partition_file(const Settings& settings);

VerifyMode verify_mode(const Settings& settings);

/// Everything for the subnet manager except where it keeps its files.
Result<SmOptions> sm_options(const Settings& settings, std::vector<std::string>& warnings);

/// Everything for the subnet administration. prefix_routes_file may be missing where it is the
/// default.
Result<SaOptions> sa_options(const Settings& settings);
/// The SLs of partitions, which count with QoS only.
void take_partition_sls(const PartitionFile& partitions, SaOptions& options);

/// Everything for the performance manager except where its database is.
PerformanceOptions performance_options(const Settings& settings);

CongestionOptions congestion_options(const Settings& settings);

/// Of what was read again while a manager runs: values that only a start can change go back to what
/// is in force, each with a warning.
void keep_what_needs_a_start(const Settings& in_force, Settings& read,
                             std::vector<std::string>& warnings);

}  // namespace weft
