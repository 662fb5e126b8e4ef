// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The child process of an engine from a shared object: a mode of this program that loads and calls
// the library. The child has neither the memory nor the open files of its parent process.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// Call this first in the main() of a program that uses engines from files. If the command line
/// selects the mode, runs the mode and ends the process with status 0, or returns status 1 if the
/// arguments or descriptors are not those of run_probe() or run_route(). Otherwise returns nullopt.
std::optional<int> run_as_engine_process(int argc, const char* const* argv);

/// Sets the path of the program with that main(); initially the path of the running program.
void set_engine_program(std::string path);

namespace plugin {

/// Loads the library; `outcome` is the descriptor of a Shared<ChildOutcome>. Returns as
/// run_program().
std::string run_probe(const std::string& library, int outcome, std::chrono::milliseconds limit);

/// Calls the library's route(). `descriptors` are the descriptors of Answer, then the descriptor of
/// the request. Returns as run_program().
std::string run_route(const std::string& library, std::vector<int> descriptors,
                      std::size_t request_size, std::chrono::milliseconds limit);

}  // namespace plugin
}  // namespace weft
