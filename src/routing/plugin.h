// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing engines from shared objects, written against engine_plugin.h. Only child processes load
// the library: one process reads its summary, and for each fabric one process calls its engine and
// stores the result in shared memory. So an engine fails if the library crashes, hangs or throws,
// and the program continues.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "routing/engine.h"

namespace weft {

/// Loads the engine of a file once; until the program ends, find_engine() finds the engine by this
/// path. Fails with kUsage, naming the file, if the library cannot be loaded, crashes, throws or
/// ends its process while it is loaded, is not loaded within 10 s, has no weft_engine, another
/// version of the interface or no function route, if other users can write the file, or if too many
/// engines are loaded. Fails with kEnvironment if no child process can be started, or if the
/// current folder is not known.
Status load_engine(const std::string& path);

/// Loads each file among the names of a value of -R: a name with a slash is a file. Loading runs
/// code of the library, so `names` must come from the administrator, never from the network. Fails
/// as load_engine() for the first file that cannot be loaded.
Status load_engine_files(std::string_view names);

/// The engine loaded from this path; null if there is none. A run of the engine fails if the
/// library crashes, throws, exceeds its time limit, returns a failure, or returns ports, VLs or SLs
/// out of range or an unknown kind of SL table. The verifier checks the routes.
const Engine* find_loaded_engine(std::string_view path);

bool has_loaded_engines();

/// Sets the time limit of loaded engines for one fabric, initially 10 minutes; for tests.
void set_engine_time_limit(std::chrono::milliseconds time_limit);

}  // namespace weft
