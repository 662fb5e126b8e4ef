// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The child process of an engine from a shared object: a mode of the own program, in which the
// library is loaded and called. It has neither the memory nor the open files of the process that
// started it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// To be called first in the main() of a program that uses engines from files: carries out the mode
/// and returns the exit status, or nothing for any other command line.
std::optional<int> run_as_engine_process(int argc, const char* const* argv);

/// The program with that main(); initially the running one.
void set_engine_program(std::string path);

namespace plugin {

/// Loads the library; `outcome` is the descriptor of a Shared<ChildOutcome>. As run_program().
std::string run_probe(const std::string& library, int outcome, std::chrono::milliseconds limit);

/// Lets the library route; `descriptors`: those of Answer, then the request. As run_program().
std::string run_route(const std::string& library, std::vector<int> descriptors,
                      std::size_t request_size, std::chrono::milliseconds limit);

}  // namespace plugin
}  // namespace weft
