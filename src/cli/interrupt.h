// Long work that ends early with what it has when somebody says stop (SIGINT, SIGTERM).
#pragma once

#include <atomic>

namespace weft::cli {

/// From now on a signal sets the flag; a second one ends the process at once.
const std::atomic<bool>& catch_interrupts();

}  // namespace weft::cli
