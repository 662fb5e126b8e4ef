// Routing engines from shared objects: engine_plugin.h is what they see. Each is probed in a child
// process before it is loaded, and runs in a child process that writes into shared memory, so that
// a library which crashes, hangs or throws is an engine that did not serve.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "routing/engine.h"

namespace weft {

/// Loads the file once; find_engine() knows it by this name from then on, until the program ends.
/// Fails with kUsage naming the file: it cannot be loaded, crashes, has no weft_engine, or one of
/// another version; or there are too many.
Status load_engine(const std::string& path);

/// Loads each file among the names of a value of -R: a name with a slash is one. Such a library is
/// code, so this is for words of who runs the program, and for nobody else's.
Status load_engine_files(std::string_view names);

/// A loaded engine of this name, or null. It fails where the library crashes, throws, takes too
/// long, refuses, or gives ports, VLs or SLs that are out of range; what it leaves open is for the
/// judge.
const Engine* find_loaded_engine(std::string_view path);

/// How long an engine from a file may take for one fabric; a test has less patience.
void set_engine_patience(std::chrono::milliseconds patience);

}  // namespace weft
