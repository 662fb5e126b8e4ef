// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A program in a process of its own, which may crash or hang without harm to the caller. The caller
// may have threads: no code of it runs in the child, which starts by posix_spawn().
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace weft {

struct ChildProgram {
  std::string path;
  std::vector<std::string> arguments;  // the first is the program's name
  std::vector<int> descriptors;        // become 3, 4, ..; all others except 0 to 2 are closed
};

/// Runs it and waits until it ends; after `limit` it is killed. Empty if it ended with status 0,
/// else what happened to it: "crashed (..)". The child has default signals, reads nothing on
/// standard input, has standard error in place of standard output, which is for reports, and
/// inherits the environment except LD_PRELOAD, which is for the calling program. It returns values
/// in base/shared_memory.h.
std::string run_program(const ChildProgram& program, std::chrono::milliseconds limit);

/// Called first in the child: it ends with its parent, and writes no core file. False if the parent
/// has ended already.
bool follow_parent(int parent);

}  // namespace weft
