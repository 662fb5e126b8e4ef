// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand ports of this machine, which `weft sm -g 0` lists.
#pragma once

#include "cli/sm/sm_arguments.h"

namespace weft::cli {

/// Whether the command line sets the port GUID (-g) to 0.
bool lists_ports(const SmArguments& arguments);

/// Prints GUID, device, port number, LID and state of each port; returns the exit status.
int list_ports();

}  // namespace weft::cli
