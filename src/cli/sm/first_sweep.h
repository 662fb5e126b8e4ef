// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The report of `weft sm --once`.
#pragma once

#include "cli/sm/sm_arguments.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

/// Prints the first sweep: with --json as JSON, for an emulated fabric as a report, else as one
/// line. A sweep without a snapshot is an error. Returns the exit status: 0 if the subnet is up.
int report_first_sweep(const SubnetManager& sm, const SmArguments& arguments,
                       const Settings& settings);

}  // namespace weft::cli
