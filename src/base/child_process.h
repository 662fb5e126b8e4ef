// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Code in a process of its own, which may crash or hang without harm to the caller.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace weft {

/// Runs `work` in a child process and waits until it ends; after `limit` the child is killed. Empty
/// if it finished, else what happened to it: "crashed (..)". The child inherits no signal handlers,
/// writes no core file, has standard error in place of standard output, which is for reports, and
/// ends with its parent. It returns values in base/shared_memory.h.
std::string run_in_child(std::chrono::milliseconds limit, const std::function<void()>& work);

}  // namespace weft
