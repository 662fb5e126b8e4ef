// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The process that starts the HTTP process, and starts it again when it ends. The manager, which
// cannot start programs any more, starts the starter early. Both are this program, executed anew:
// they have neither the memory of the manager nor its descriptors and environment. All end with
// the manager.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "service/front/front_channel.h"

namespace weft::front {

/// The socket between the manager and the starter.
enum class Control : std::uint8_t {
  kStarted = 'S',  // of the starter: Started; with the manager's end of the channel
  kEnded = 'E',    // of the starter: Ended
  kKill = 'K'      // of the manager: kill the HTTP process
};

struct Started {
  std::int32_t pid = 0;
};

struct Ended {
  std::int32_t pid = 0;
  std::int32_t status = 0;   // as by waitpid()
  std::int32_t wait_ms = 0;  // until the next one is started
};

/// "was killed (Segmentation fault)", "ended with status 1"
std::string describe(const Ended& ended);

struct Starter {
  pid_t pid = -1;
  Descriptor control;
};

/// Closes the socket, which ends both processes, and waits for that.
void end_starter(Starter starter);

/// Starts the starter; call before threads start. With `restricted`, both processes restrict their
/// system calls. Fails with kEnvironment.
Result<Starter> start_starter(bool restricted);

/// Called first in main(): if the program was started as one of the two processes, it runs until
/// its end. Otherwise empty.
std::optional<int> run_as_front_process(int argc, const char* const* argv);

}  // namespace weft::front
