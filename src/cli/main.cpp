// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The program weft: runs as a helper process of the manager, or runs the command line.

#include "base/log.h"
#include "base/memory/heap.h"
#include "cli/command_line.h"
#include "routing/plugin/engine_process.h"
#include "service/front/front_starter.h"

int main(int argc, char** argv) {
  if (const auto status = weft::run_as_engine_process(argc, argv)) return *status;
  if (const auto status = weft::front::run_as_front_process(argc, argv)) return *status;
  weft::keep_freed_memory();
  weft::log_to_stderr(spdlog::level::warn);
  return weft::cli::run_command_line(argc, argv);
}
