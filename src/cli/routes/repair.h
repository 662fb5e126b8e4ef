// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft simulate FABRIC -R ENGINE --failures K --repair all|mixed: recovery by AR-capable switches
// before the subnet manager reroutes.
#pragma once

#include <string>

#include "cli/routes/what_if.h"
#include "sm/options.h"

namespace weft::cli {

/// Applies the assignments to `settings`. Returns the options of managers on emulated fabrics:
/// those of the settings, without persistent files and with one routing thread.
Result<SmOptions> manager_options(const Assignments& assignments, Settings& settings,
                                  std::vector<std::string>& warnings);

/// Simulates the failures on emulated fabrics and writes the results to `output` (-: standard
/// output). Returns the exit status: 1 if the manager does not bring a subnet up again, or if the
/// routes after the notifications have a credit loop.
int run_repair(const FabricArgument& fabric, const Assignments& assignments, Settings settings,
               const WhatIfArguments& arguments, bool json, const std::string& output);

}  // namespace weft::cli
