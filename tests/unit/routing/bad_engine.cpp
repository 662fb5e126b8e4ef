// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Engines with errors, in one source. A macro selects errors of the library. An environment
// variable, which the child process inherits, selects errors of the engine's function.
#include <fcntl.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "routing/engine_plugin.h"

namespace {

#ifdef BAD_AT_LOAD
struct AtLoad {
  AtLoad() {
    const char* how = std::getenv("WEFT_BAD_LOAD");
    const std::string what = how == nullptr ? "" : how;
    if (what == "abort") std::abort();
    if (what == "exit") std::_Exit(0);
    if (what == "throw") throw std::runtime_error("no license");
  }
};
const AtLoad at_load;
#endif

int route(const weft_fabric* fabric, const weft_request*, weft_tables* tables) {
  const char* how = std::getenv("WEFT_BAD");
  const std::string what = how == nullptr ? "" : how;
  const std::size_t all = std::size_t{fabric->switch_count} * tables->lft_stride;
  if (what == "refuse") {
    std::strcpy(tables->reason, "not a\nfat tree");
    return 1;
  }
  if (what == "refuse silently") return 1;
  if (what == "reason without end") {
    std::memset(tables->reason, 'x', sizeof tables->reason);
    return 1;
  }
  if (what == "throw") throw std::runtime_error("an internal error");
  if (what == "throw a number") throw 7;
  if (what == "crash") std::abort();
  if (what == "exit") std::_Exit(0);
  if (what == "hang")
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  if (what == "write behind") tables->lfts[all] = 1;
  if (what == "write before") std::memset(tables->lfts - 8192, 1, 8192);
  if (what == "count files")
    for (int fd = 7; fd < 1000; ++fd)
      if (::fcntl(fd, F_GETFD) >= 0) std::abort();
  if (what == "port") tables->lfts[1] = 77;
  if (what == "vls") tables->vls = 9;
  if (what == "no vls") tables->vls = 0;
  if (what == "sl") tables->path_sl(tables, WEFT_SL_BY_LID)[1] = 1;
  if (what == "unknown sl kind" && tables->path_sl(tables, 9) != nullptr) return 0;
  if (what == "own tables") tables->lfts = nullptr;  // the caller does not read this pointer
  if (what == "write names") const_cast<char*>(fabric->switches[0].name)[0] = '!';
  return 0;
}

}  // namespace

#ifndef BAD_NAME
#define BAD_NAME weft_engine
#endif
#ifndef BAD_VERSION
#define BAD_VERSION WEFT_ENGINE_VERSION
#endif
#ifndef BAD_ROUTE
#define BAD_ROUTE &route
#endif
extern "C" {
WEFT_ENGINE_EXPORT extern const weft_engine_interface BAD_NAME;
const weft_engine_interface BAD_NAME = {BAD_VERSION, nullptr, BAD_ROUTE};
}
[[maybe_unused]] static const auto used = &route;
