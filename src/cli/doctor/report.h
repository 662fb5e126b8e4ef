// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parts that `weft doctor` and `weft support` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/doctor/machine_checks.h"

namespace weft::cli {

struct DoctorFolders {
  std::string sys = "/sys", dev = "/dev", proc = "/proc";
};

/// Declares --sys, --dev and --proc.
void add_doctor_folders(CLI::App& app, DoctorFolders& folders);
LocalMachine read_local_machine(const DoctorFolders& folders);

/// The findings about the machine and about the configuration file (empty: kDefaultConfig, if it
/// exists), problems first.
std::vector<MachineFinding> all_findings(const LocalMachine& machine, const std::string& config);

Json machine_json(const LocalMachine& machine, const std::vector<MachineFinding>& findings);

}  // namespace weft::cli
