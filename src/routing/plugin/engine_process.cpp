// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin/engine_process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "base/child_process.h"
#include "base/result.h"
#include "base/shared_memory.h"
#include "routing/engine_plugin.h"
#include "routing/plugin/child_outcome.h"
#include "routing/plugin/plain_fabric.h"

namespace weft {
namespace {

using plugin::ChildOutcome;
using plugin::guarded;
using plugin::RequestHead;
using plugin::sl_count;
using plugin::TableOutcome;

// Arguments: the mode, the process id of the parent, the task, the library, and the size of the
// request.
constexpr std::string_view kMode = "--engine-process";
constexpr std::string_view kProbe = "probe", kRoute = "route";
constexpr int kWordCount = 6;
// Descriptors, in the order of Answer::descriptors() and of run_route().
enum Descriptor { kResult = 3, kLfts, kSls, kRequest };

struct EngineProgram {
  std::mutex mutex;
  std::string path = "/proc/self/exe";
};
EngineProgram& engine_program() {
  static EngineProgram program;
  return program;
}

/// The interface of a library; null if the library cannot be used, with the reason in `outcome`.
const weft_engine_interface* open_library(const std::string& path, ChildOutcome& outcome) {
  const auto refuse = [&](const std::string& why) -> const weft_engine_interface* {
    outcome.refuse(why.c_str());
    return nullptr;
  };
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return refuse(why == nullptr ? "cannot be loaded" : why);
  }
  const auto* with = static_cast<const weft_engine_interface*>(::dlsym(library, "weft_engine"));
  if (with == nullptr) return refuse("has no weft_engine: it is no routing engine for Weft");
  if (with->version != WEFT_ENGINE_VERSION)
    return refuse(fmt::format("has version {} of the interface, expected {}", with->version,
                              WEFT_ENGINE_VERSION));
  if (with->route == nullptr) return refuse("has no function route");
  return with;
}

void probe(const std::string& library) {
  const Shared<ChildOutcome> outcome(kResult);
  guarded(*outcome, [&] {
    if (const auto* with = open_library(library, *outcome))
      outcome->end(ChildOutcome::kDone, with->summary);
  });
}

/// The tables of the child, and the data of their callback.
struct ChildTables {
  weft_tables tables{};
  std::span<std::uint8_t> sls;
  std::size_t switches = 0;
  std::uint32_t kind = WEFT_SL_NONE;

  static std::uint8_t* path_sl(weft_tables* tables, std::uint32_t kind) {
    auto* self = static_cast<ChildTables*>(tables->reserved);
    const std::size_t count = sl_count(kind, self->switches, self->tables.lft_stride);
    if (count == 0 && kind != WEFT_SL_NONE) return nullptr;
    self->kind = kind;
    std::memset(self->sls.data(), 0, count);
    return self->sls.data();
  }
};

void route(const std::string& library, std::size_t request_size) {
  const Shared<TableOutcome> result(kResult);
  guarded(result->outcome, [&] {
    const SharedBytes request(kRequest, request_size);
    const auto& head = *reinterpret_cast<const RequestHead*>(request.data());
    const SharedBytes lfts(kLfts, head.lft_bytes);
    const SharedBytes sls(kSls, head.sl_bytes);
    const weft_fabric fabric = plugin::fabric_in({request.data(), request_size});
    weft_request wanted{};
    wanted.size = sizeof wanted;
    wanted.threads = head.threads;
    wanted.seed = head.seed;
    wanted.roots = reinterpret_cast<const std::uint32_t*>(request.data() + head.roots);
    wanted.root_count = head.root_count;
    ChildTables child{.sls = {sls.data(), head.sl_bytes}, .switches = head.switch_count};
    weft_tables& tables = child.tables;
    tables.size = sizeof tables;
    tables.vls = 1;
    tables.lfts = lfts.data();
    tables.lft_stride = head.lft_stride;
    tables.path_sl = &ChildTables::path_sl;
    tables.reserved = &child;
    const auto* with = open_library(library, result->outcome);
    if (with == nullptr) return;
    if (with->route(&fabric, &wanted, &tables) != 0)
      return result->outcome.refuse(
          std::string(tables.reason, ::strnlen(tables.reason, sizeof tables.reason)).c_str());
    result->vls = tables.vls;
    result->kind = child.kind;
    result->outcome.end(ChildOutcome::kDone, "");
  });
}

std::string run_engine_program(std::string_view task, const std::string& library,
                               std::size_t request_size, std::vector<int> descriptors,
                               std::chrono::milliseconds limit) {
  std::string path;
  {
    const std::lock_guard lock(engine_program().mutex);
    path = engine_program().path;
  }
  return run_program({std::move(path),
                      {"weft", std::string(kMode), std::to_string(::getpid()), std::string(task),
                       library, std::to_string(request_size)},
                      std::move(descriptors)},
                     limit);
}

}  // namespace

std::optional<int> run_as_engine_process(int argc, const char* const* argv) {
  if (argc != kWordCount || argv[1] != kMode) return std::nullopt;
  const auto parent = parse_number<int>(argv[2]);
  const auto request_size = parse_number<std::size_t>(argv[5]);
  if (!parent || !request_size || !end_with_parent(*parent)) return 1;
  try {
    if (argv[3] == kProbe) {
      probe(argv[4]);
    } else if (argv[3] == kRoute) {
      route(argv[4], *request_size);
    }
  } catch (const std::exception&) {  // the descriptors were not passed by a parent
    return 1;
  }
  // Exits without running destructors, which may be code of the library.
  ::_exit(0);
}

void set_engine_program(std::string path) {
  const std::lock_guard lock(engine_program().mutex);
  engine_program().path = std::move(path);
}

namespace plugin {

std::string run_probe(const std::string& library, int outcome, std::chrono::milliseconds limit) {
  return run_engine_program(kProbe, library, 0, {outcome}, limit);
}

std::string run_route(const std::string& library, std::vector<int> descriptors,
                      std::size_t request_size, std::chrono::milliseconds limit) {
  return run_engine_program(kRoute, library, request_size, std::move(descriptors), limit);
}

}  // namespace plugin
}  // namespace weft
