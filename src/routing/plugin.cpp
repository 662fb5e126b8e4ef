// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/text.h"
#include "routing/deadlock/lanes.h"
#include "routing/engine_plugin.h"
#include "routing/plugin/answer.h"
#include "routing/plugin/child_outcome.h"
#include "routing/plugin/plain_fabric.h"

namespace weft {
namespace {

using plugin::Answer;
using plugin::ChildOutcome;
using plugin::guarded;
using plugin::kReasonMax;
using plugin::PlainFabric;
using plugin::wrong;

constexpr std::size_t kEnginesMax = 16;

struct EnginePlugin {
  std::string path;
  std::string summary;
  const weft_engine_interface* with = nullptr;
  Engine engine;
};

constexpr std::chrono::seconds kProbePatience{10};
std::atomic<std::chrono::milliseconds> time_limit{std::chrono::minutes(10)};

// ---- Loading ----

/// The interface of a library, or an error. The library stays loaded.
Result<const weft_engine_interface*> open_library(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return wrong(Code::kUsage, path, why == nullptr ? "cannot be loaded" : why);
  }
  const auto* with = static_cast<const weft_engine_interface*>(::dlsym(library, "weft_engine"));
  if (with == nullptr)
    return wrong(Code::kUsage, path, "has no weft_engine: it is no routing engine for Weft");
  if (with->version != WEFT_ENGINE_VERSION)
    return wrong(Code::kUsage, path,
                 fmt::format("has version {} of the interface, expected {}", with->version,
                             WEFT_ENGINE_VERSION));
  if (with->route == nullptr) return wrong(Code::kUsage, path, "lacks the function route");
  return with;
}

/// Loads the library in a child process first, because loading runs code of the library.
Status probe(const std::string& path) {
  const Shared<ChildOutcome> outcome;
  const std::string fate = run_in_child(kProbePatience, [&] {
    guarded(*outcome, [&] {
      const auto opened = open_library(path);
      if (opened) {
        (void)std::strlen((*opened)->summary == nullptr ? "" : (*opened)->summary);
        outcome->state = ChildOutcome::kDone;
      } else {
        outcome->refuse(opened.error().message.c_str());
      }
    });
  });
  if (!fate.empty()) return wrong(Code::kUsage, path, fmt::format("{} while it was loaded", fate));
  if (outcome->state == ChildOutcome::kDone) return {};
  const std::string reason(outcome->reason, ::strnlen(outcome->reason, kReasonMax));
  if (reason.starts_with("routing engine ")) return fail(Code::kUsage, "{}", reason);
  return wrong(
      Code::kUsage, path,
      reason.empty() ? "ended its process while it was loaded" : reason + " while it was loaded");
}

struct Loaded {
  std::mutex mutex;
  std::vector<std::unique_ptr<EnginePlugin>> engines;  // in the order of loading

  const EnginePlugin* find(std::string_view path) const {
    const auto found = std::ranges::find(
        engines, path, [](const auto& one) { return std::string_view(one->path); });
    return found == engines.end() ? nullptr : found->get();
  }
};
Loaded& loaded() {
  static Loaded all;
  return all;
}

// ---- Routing ----

struct PluginOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;
  unsigned vls_max = 8;
  std::span<const SwitchId> roots{};  // -a

  static PluginOptions from(const RoutingOptions& all) {
    return {.threads = all.threads, .seed = all.seed, .vls_max = all.vls_max, .roots = all.roots};
  }
};

Result<Routes> route_by(const EnginePlugin& plugin, const Fabric& fabric,
                        const PluginOptions& options) {
  const unsigned vls_max = lanes_available(fabric, options.vls_max);
  const PlainFabric plain(fabric, vls_max);
  const Answer answer(fabric, plugin.path);
  std::vector<std::uint32_t> roots;
  for (const SwitchId root : options.roots) roots.push_back(root.value());
  weft_request request{};
  request.size = sizeof request;
  request.threads = options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
  request.seed = options.seed;
  request.roots = roots.data();
  request.root_count = static_cast<std::uint32_t>(roots.size());
  ChildOutcome& outcome = answer.outcome();
  const std::string fate = run_in_child(time_limit.load(), [&] {
    guarded(outcome, [&] {
      weft_tables* tables = answer.tables();
      if (plugin.with->route(&plain.view(), &request, tables) == 0)
        outcome.state = ChildOutcome::kDone;
      else
        outcome.refuse(std::string(tables->reason, ::strnlen(tables->reason, kReasonMax)).c_str());
    });
  });
  if (!fate.empty()) return wrong(Code::kUnroutable, plugin.path, fate);
  if (outcome.state == ChildOutcome::kRefused)
    return wrong(Code::kUnroutable, plugin.path,
                 outcome.reason[0] == 0 ? "refused without a reason" : outcome.text());
  if (outcome.state != ChildOutcome::kDone)
    return wrong(Code::kUnroutable, plugin.path, "ended its process");
  return answer.routes(vls_max);
}

/// Engine functions have no context argument, so there is one function for each slot.
template <std::size_t I>
Result<Routes> run_loaded(const Fabric& fabric, const RoutingOptions& options) {
  const EnginePlugin* plugin = nullptr;
  {
    const std::lock_guard lock(loaded().mutex);
    plugin = loaded().engines[I].get();
  }
  return route_by(*plugin, fabric, options);
}
template <std::size_t... I>
constexpr auto runners(std::index_sequence<I...>) {
  return std::array{&run_loaded<I>...};
}
constexpr auto kRunners = runners(std::make_index_sequence<kEnginesMax>());

}  // namespace

Status load_engine(const std::string& path) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  if (all.find(path) != nullptr) return {};
  if (all.engines.size() == kEnginesMax)
    return wrong(Code::kUsage, path, fmt::format("{} are loaded already", kEnginesMax));
  if (auto status = probe(path); !status) return status;
  const auto opened = open_library(path);
  if (!opened) return forward(opened);
  auto plugin = std::make_unique<EnginePlugin>();
  plugin->path = path;
  plugin->summary = (*opened)->summary == nullptr ? "" : (*opened)->summary;
  plugin->with = *opened;
  plugin->engine = {plugin->path, plugin->summary, kRunners[all.engines.size()]};
  all.engines.push_back(std::move(plugin));
  return {};
}

Status load_engine_files(std::string_view names) {
  for (const std::string_view part : split(names, ','))
    if (const std::string_view name = trim(part); name.find('/') != std::string_view::npos)
      if (auto status = load_engine(std::string(name)); !status) return status;
  return {};
}

const Engine* find_loaded_engine(std::string_view path) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  const EnginePlugin* plugin = all.find(path);
  return plugin == nullptr ? nullptr : &plugin->engine;
}

void set_engine_time_limit(std::chrono::milliseconds limit) { time_limit = limit; }

}  // namespace weft
