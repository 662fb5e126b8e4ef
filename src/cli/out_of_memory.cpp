// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ends the program with a message and exit status 3 if memory is exhausted, or a std::system_error
// is thrown, where no caller catches the exception: on another thread, or before main().

#include <unistd.h>

#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/subcommand.h"

namespace weft::cli {
namespace {

using Install = void (*)();

std::terminate_handler g_default_handler = nullptr;
bool g_libraries_are_ready = false;  // the runtime library has memory for its exceptions

void write_to_stderr(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

/// Handler of std::terminate() that allocates nothing. Ends the program if memory is exhausted or a
/// std::system_error is uncaught; for other errors it calls the default handler, abort().
[[noreturn]] void end_without_memory() {
  const std::exception_ptr uncaught = std::current_exception();
  if (!uncaught && g_libraries_are_ready) g_default_handler();
  std::string_view what = "out of memory";
  try {
    if (uncaught) std::rethrow_exception(uncaught);
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error& error) {  // such as too many threads
    what = error.what();
  } catch (...) {
    g_default_handler();
  }
  write_to_stderr(what == "out of memory"
                      ? "weft: "
                      : "weft: a system call, such as the start of a thread, failed: ");
  write_to_stderr(what);
  write_to_stderr("\n");
  ::_exit(kExitEnvironment);
}

void install() { g_default_handler = std::set_terminate(&end_without_memory); }

struct LibrariesAreReady {
  LibrariesAreReady() { g_libraries_are_ready = true; }
} g_after_libraries;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// A sanitizer's runtime is not ready before the constructors of libraries run.
const struct AtInitialization {
  AtInitialization() { install(); }
} g_at_initialization;
#else
// Called before the constructors of libraries, which allocate.
[[gnu::section(".preinit_array"), gnu::used]] const Install g_install = &install;
#endif

}  // namespace
}  // namespace weft::cli
