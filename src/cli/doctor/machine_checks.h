// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Conditions that prevent a subnet manager from working on this machine, or make its operation
// risky, each with a fix. Pure functions of the data of the machine.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/local_devices.h"
#include "service/config/settings.h"

namespace weft::cli {

struct MachineFinding {
  bool is_problem = false;  // false: a warning
  std::string what;
  std::string fix;
};

/// The findings about devices, ports, device files, firmware and other subnet managers.
std::vector<MachineFinding> findings_of(const LocalMachine& machine);
/// The findings about risky settings.
std::vector<MachineFinding> findings_of(const Settings& settings);

}  // namespace weft::cli
