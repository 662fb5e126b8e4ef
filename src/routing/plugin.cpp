// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/secure_path.h"
#include "base/shared_memory.h"
#include "base/text.h"
#include "routing/deadlock/lanes.h"
#include "routing/engine_plugin.h"
#include "routing/plugin/answer.h"
#include "routing/plugin/child_outcome.h"
#include "routing/plugin/engine_process.h"
#include "routing/plugin/plain_fabric.h"

namespace weft {
namespace {

using plugin::Answer;
using plugin::ChildOutcome;
using plugin::engine_error;
using plugin::PlainFabric;
using plugin::RequestHead;

constexpr std::size_t kEnginesMax = 16;

struct EnginePlugin {
  std::string path;
  std::string summary;
  Engine engine;
};

constexpr std::chrono::seconds kProbeTimeout{10};
std::atomic<std::chrono::milliseconds> time_limit{std::chrono::minutes(10)};

// ---- Loading ----

/// The summary of the library. A child process loads the library, because loading runs code of the
/// library.
Result<std::string> summary_of(const std::string& path) {
  const Shared<ChildOutcome> outcome;
  const std::string failure = plugin::run_probe(path, outcome.descriptor(), kProbeTimeout);
  if (failure.starts_with("cannot start"))  // because of the sandbox of weft sm
    return engine_error(
        Code::kEnvironment, path,
        failure + ": weft sm loads engines from files only if one is configured at its start");
  if (!failure.empty())
    return engine_error(Code::kUsage, path, fmt::format("{} while it was loaded", failure));
  const std::string text = outcome->raw_text();
  if (outcome->state == ChildOutcome::kDone) return printable(text);
  if (outcome->state == ChildOutcome::kRefused)
    return engine_error(
        Code::kUsage, path,
        printable(text) + (text.starts_with("threw ") ? " while it was loaded" : ""));
  return engine_error(Code::kUsage, path, "its process ended while it was loaded");
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
  const Answer answer(fabric, plugin.path);
  RequestHead head;
  head.threads = options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
  head.seed = options.seed;
  answer.describe_in(head);
  const auto bytes = PlainFabric(fabric, vls_max, options.roots).bytes(head);
  const SharedBytes request(bytes.size());
  std::ranges::copy(bytes, request.data());
  std::vector<int> descriptors = answer.descriptors();
  descriptors.push_back(request.descriptor());
  const std::string failure =
      plugin::run_route(plugin.path, std::move(descriptors), bytes.size(), time_limit.load());
  if (!failure.empty()) return engine_error(Code::kUnroutable, plugin.path, failure);
  const ChildOutcome& outcome = answer.outcome();
  if (outcome.state == ChildOutcome::kRefused)
    return engine_error(Code::kUnroutable, plugin.path,
                        outcome.reason[0] == 0 ? "failed without a reason" : outcome.text());
  if (outcome.state != ChildOutcome::kDone)
    return engine_error(Code::kUnroutable, plugin.path, "its process ended without a result");
  return answer.routes(vls_max);
}

/// Engine functions have no context argument, so each loaded engine has a function of its own.
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
    return engine_error(
        Code::kUsage, path,
        fmt::format("{} engines are loaded already, which is the maximum", kEnginesMax));
  if (auto status = check_only_owner_writes(path); !status)
    return engine_error(status.error().code, path, status.error().message);
  const auto summary = summary_of(path);
  if (!summary) return forward(summary);
  auto plugin = std::make_unique<EnginePlugin>();
  plugin->path = path;
  plugin->summary = *summary;
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

bool has_loaded_engines() {
  Loaded& all = loaded();
  const std::lock_guard lock(all.mutex);
  return !all.engines.empty();
}

void set_engine_time_limit(std::chrono::milliseconds limit) { time_limit = limit; }

}  // namespace weft
