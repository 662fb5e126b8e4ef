// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a program as a child process. A crash or hang of the child does not affect the caller. The
// caller may have threads: posix_spawn() starts the child, so none of the caller's code runs in it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace weft {

struct ChildProgram {
  std::string path;
  std::vector<std::string> arguments;  // argument 0 is the program's name
  std::vector<int> descriptors;        // 3, 4, ... in the child; others above 2 are closed
};

/// Runs the program and waits until it ends; kills the child after `limit`. Returns an empty text
/// if the child ended with status 0, else the reason, such as "crashed (..)". The child has default
/// signal handlers, an empty standard input, the caller's standard error as its standard output
/// (standard output is for reports), and the caller's environment except LD_PRELOAD. The child
/// returns values through shared memory (base/shared_memory.h).
std::string run_program(const ChildProgram& program, std::chrono::milliseconds limit);

/// Makes the kernel kill this process when its parent ends, and disables core files. Call it first
/// in the child with the process id of the parent. Returns false if the parent has ended already.
bool end_with_parent(int parent);

}  // namespace weft
