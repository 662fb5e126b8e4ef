// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The starter: the process that starts the HTTP process, and restarts it when it ends. The manager
// starts the starter before it restricts its own system calls, because it cannot start programs
// afterwards. The starter and the HTTP process are this program, executed again: they have neither
// the memory nor the environment nor the other descriptors of the manager. Both end with the
// manager.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "service/front/front_channel.h"

namespace weft::front {

/// Kinds of the messages between the manager and the starter.
enum class Control : std::uint8_t {
  kStarted = 'S',  // from the starter: Started; with the manager's end of the channel
  kEnded = 'E',    // from the starter: the HTTP process ended
  kKill = 'K'      // from the manager: kill the HTTP process
};

struct Started {
  std::int32_t pid = 0;
};

struct Ended {
  std::int32_t pid = 0;
  std::int32_t status = 0;   // status of waitpid()
  std::int32_t wait_ms = 0;  // milliseconds until the next start
};

/// "was killed (Segmentation fault)", "ended with status 1"
std::string describe(const Ended& ended);

struct Starter {
  pid_t pid = -1;
  Descriptor control;
};

/// Closes the socket, which ends both processes, and waits until they have ended.
void end_starter(Starter starter);

/// Starts the starter; call before threads start. With `restricted`, both processes restrict their
/// system calls. Fails with kEnvironment.
Result<Starter> start_starter(bool restricted);

/// Call first in main(). If the program was started as the starter or the HTTP process, runs until
/// its end and returns its exit status. Otherwise empty.
std::optional<int> run_as_front_process(int argc, const char* const* argv);

}  // namespace weft::front
