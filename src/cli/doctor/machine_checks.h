// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What prevents a subnet manager from working on this machine, or makes it risky, each with a
// fix. Pure functions of what was read.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/local_devices.h"
#include "service/config/settings.h"

namespace weft::cli {

struct MachineFinding {
  bool is_problem = false;  // otherwise a warning
  std::string what;
  std::string fix;
};

std::vector<MachineFinding> findings_of(const LocalMachine& machine);
/// Risky settings.
std::vector<MachineFinding> findings_of(const Settings& settings);

}  // namespace weft::cli
