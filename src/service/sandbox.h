// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Restrictions that a subnet manager sets for its own process. With these restrictions, code of an
// attacker in the process can change less of the machine. They apply also outside of systemd and
// containers.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Drops all capabilities except CAP_DAC_OVERRIDE, for this process and the programs that it
/// starts. A manager that runs as root needs CAP_DAC_OVERRIDE for files in folders of other users.
/// Call before threads start, because each thread has its own capabilities. Fails with
/// kEnvironment.
Status drop_capabilities();

/// Drops all capabilities. Call before threads start. Fails with kEnvironment.
Status drop_all_capabilities();

/// Excludes the memory of this process, which has keys, from core files, and denies access to other
/// processes of its user. Does nothing in builds with sanitizers, which read the memory from
/// another process. Fails with kEnvironment.
Status hide_memory();

/// Locks each page of this process in memory when it is first used, so that keys are not written to
/// swap space. Returns false if mlockall() fails, or if RLIMIT_MEMLOCK cannot be set to unlimited,
/// because with a limit, allocations could fail. Call before drop_capabilities().
bool lock_memory();

struct SandboxNeeds {
  bool programs = false;  // may start programs
  bool filters = false;   // may restrict its system calls further
};

/// Restricts the system calls of all threads permanently. Calls that only an attacker makes (to
/// trace processes, mount, load code into the kernel, enter namespaces, and to run programs without
/// `needs.programs`) end the process with SIGSYS. Other calls that are not listed fail with ENOSYS.
/// Memory that is writable and executable, new processes without `needs.programs`, and sockets
/// other than IP, Unix and netlink are refused. A thread can change only its own priority. Fails
/// with kEnvironment. Does nothing in builds with sanitizers, which need more system calls.
Status restrict_system_calls(const SandboxNeeds& needs);

/// Like restrict_system_calls(), for a server that uses only open descriptors: the process also
/// cannot open files, create sockets or processes, or send signals to other processes.
Status restrict_to_open_descriptors();

/// Whether this build can restrict system calls.
bool can_restrict_system_calls();

}  // namespace weft
