// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <dlfcn.h>

#include "base/log.h"
#include "base/text.h"
#include "service/events/event_sinks.h"

namespace weft {
namespace {

void log_for_plugin(weft_log_level level, const char* text) {
  const char* message = text == nullptr ? "" : text;
  if (level == WEFT_LOG_ERROR) return log::error("plugin: {}", message);
  if (level == WEFT_LOG_INFO) return log::info("plugin: {}", message);
  log::debug("plugin: {}", message);
}

tl::unexpected<Error> plugin_error(const std::string& name, std::string_view why) {
  return fail(Code::kEnvironment, "event plugin {}: {}", name, why);
}

class Plugin final : public EventSink {
 public:
  Plugin(std::string name, const weft_event_plugin_interface& interface, std::string options)
      : name_(std::move(name)), interface_(interface), options_(std::move(options)) {}
  /// The shared object stays loaded, because threads of the plugin may still run its code.
  ~Plugin() override {
    if (self_ != nullptr && interface_.destroy != nullptr) interface_.destroy(self_);
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  Status start() override {
    self_ = interface_.create(options_.c_str(), log_for_plugin);
    if (self_ != nullptr) return {};
    return plugin_error(name_,
                        "create() failed with event_plugin_options");  // options may be secret
  }

  void take(const Event& event, WallTime at) override {
    if (self_ == nullptr) return;
    weft_event plain{};
    plain.size = sizeof plain;
    plain.kind = static_cast<std::uint32_t>(event.kind);
    plain.time_ns = at.time_since_epoch().count();
    plain.sweep = event.sweep;
    plain.node_guid = event.node.value();
    plain.peer_guid = event.peer.value();
    plain.node_name = event.name.c_str();
    plain.peer_name = event.peer_name.c_str();
    plain.text = event.text.c_str();
    plain.count = event.count;
    plain.lid = event.lid.value();
    plain.lid_before = event.lid_before.value();
    plain.port = event.port.value();
    plain.peer_port = event.peer_port.value();
    plain.count_before = event.count_before;
    interface_.report(self_, &plain);
  }

 private:
  const std::string name_;
  const weft_event_plugin_interface& interface_;
  const std::string options_;
  void* self_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<EventSink>> load_event_plugin(const std::string& name,
                                                     const std::string& options) {
  const bool is_path = name.find('/') != std::string::npos;
  const std::string file = is_path ? name : fmt::format("lib{}.so", name);
  void* loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return plugin_error(name, ::dlerror());
  const void* symbol = ::dlsym(loaded, "weft_event_plugin");
  if (symbol == nullptr) {
    ::dlclose(loaded);
    return plugin_error(
        name, "does not export weft_event_plugin (OpenSM plugins have another interface)");
  }
  const auto& interface = *static_cast<const weft_event_plugin_interface*>(symbol);
  if (interface.version != WEFT_EVENT_PLUGIN_VERSION || interface.create == nullptr ||
      interface.report == nullptr) {
    const std::string why = interface.version == WEFT_EVENT_PLUGIN_VERSION
                                ? "lacks create() or report(), expected both"
                                : fmt::format("has interface version {}, expected {}",
                                              interface.version, WEFT_EVENT_PLUGIN_VERSION);
    ::dlclose(loaded);
    return plugin_error(name, why);
  }
  return std::make_unique<Plugin>(name, interface, options);
}

std::vector<std::string> plugin_names(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view part : split(list, ','))
    for (const std::string_view word : split_words(part)) names.emplace_back(word);
  return names;
}

}  // namespace weft
