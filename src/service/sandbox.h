// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Restrictions that a running subnet manager sets for its own process, so that they apply outside
// systemd and containers too: an attacker in control of the process can change less of the machine.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Drops all capabilities but CAP_DAC_OVERRIDE, which a manager that runs as root needs for files
/// in folders of other users, also for programs that it starts. Call before threads start: each
/// thread has capabilities of its own. Fails with kEnvironment.
Status drop_capabilities();

/// Drops all capabilities. Call before threads start. Fails with kEnvironment.
Status drop_all_capabilities();

/// Excludes the memory of this process, which holds keys, from core files, and from the other
/// processes of its user. Does nothing in builds with sanitizers, which read it from another
/// process.
Status hide_memory();

/// Keeps the memory of this process, now and later, out of swap space, page by page as it is used.
/// False if the limit of locked memory (RLIMIT_MEMLOCK) is not and cannot be set to unlimited: with
/// another limit, memory could run out early. Call it before drop_capabilities().
bool lock_memory();

struct SandboxNeeds {
  bool programs = false;  // may start programs
  bool filters = false;   // may restrict its system calls further
};

/// Restricts the system calls of all threads permanently. Calls that only an attacker makes (to run
/// programs, trace processes, mount, load code into the kernel, enter namespaces) end the process
/// with SIGSYS; unlisted ones fail with ENOSYS. Memory that is writable and executable, other
/// processes without `needs.programs`, and sockets except IP, Unix and netlink are refused. Fails
/// with kEnvironment. Does nothing in builds with sanitizers, which need more system calls.
Status restrict_system_calls(const SandboxNeeds& needs);

/// Restricts the system calls of all threads to those of a server that uses only open descriptors:
/// it cannot open files, create sockets or processes, or send signals to other processes; otherwise
/// like restrict_system_calls().
Status restrict_to_open_descriptors();

/// Whether this build can restrict system calls.
bool can_restrict_system_calls();

}  // namespace weft
