// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand ports of this machine.
#pragma once

#include "cli/sm/sm_arguments.h"

namespace weft::cli {

/// Whether the option is -g 0.
bool lists_ports(const SmArguments& arguments);

/// Prints GUID, device, LID and state of each port; returns the exit status.
int list_ports();

}  // namespace weft::cli
