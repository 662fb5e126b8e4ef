// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The starter: the process that starts the HTTP process, and restarts it after it has ended. The
// manager starts the starter before the manager restricts its own system calls, because afterwards
// the manager cannot start programs. The starter and the HTTP process execute this program again.
// So they have neither the memory nor the environment nor the other descriptors of the manager.
// Both end with the manager.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "service/front/front_channel.h"

namespace weft::front {

/// Kinds of the messages between the manager and the starter.
enum class Control : std::uint8_t {
  kStarted = 'S',  // from the starter: Started, with the manager's end of the channel
  kEnded = 'E',    // from the starter: Ended
  kKill = 'K'      // from the manager: request to kill the HTTP process
};

struct Started {
  std::int32_t pid = 0;
};

struct Ended {
  std::int32_t pid = 0;
  std::int32_t status = 0;   // status of waitpid()
  std::int32_t wait_ms = 0;  // milliseconds until the next start
};

/// The end of the process as text, such as "was killed (Segmentation fault)" or "ended with status
/// 1".
std::string describe(const Ended& ended);

struct Starter {
  pid_t pid = -1;
  Descriptor control;
};

/// Closes the socket, which ends both processes, the starter after the HTTP process. Waits for the
/// end of the starter, and kills the starter after 2 s.
void end_starter(Starter starter);

/// Starts the starter; call before threads start. With `restricted`, the starter and the HTTP
/// process restrict their system calls. Fails with kEnvironment.
Result<Starter> start_starter(bool restricted);

/// Call first in main(). If this process is the starter or the HTTP process, runs until its end and
/// does not return. Otherwise returns an empty value, or the exit status 1 if the process that
/// started this process is not its parent (any more).
std::optional<int> run_as_front_process(int argc, const char* const* argv);

}  // namespace weft::front
