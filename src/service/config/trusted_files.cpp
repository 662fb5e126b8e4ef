// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/trusted_files.h"

#include <filesystem>
#include <system_error>

#include "base/secure_path.h"
#include "base/text.h"
#include "service/config/key.h"

namespace weft {
namespace {

Status check_trusted_file(std::string_view key, const std::string& path) {
  if (const auto status = check_only_owner_writes(path); !status)
    return fail(status.error().code, "{}: {}", key, status.error().message);
  std::error_code error;  // ignored: the path may be a file
  for (const auto& entry : std::filesystem::directory_iterator(path, error))
    if (auto status = check_trusted_file(key, entry.path().string()); !status) return status;
  return {};
}

}  // namespace

Status check_trusted_files(const Settings& settings) {
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      const Text* text = key.is_trusted ? std::get_if<Text>(&key.value) : nullptr;
      if (text == nullptr || (settings.*text->member).empty()) continue;
      if (auto status = check_trusted_file(key.name, settings.*text->member); !status)
        return status;
    }
  for (const std::string_view part : split(settings.event_plugin_name, ','))
    for (const std::string_view name : split_words(part)) {
      if (name.find('/') == std::string_view::npos) continue;  // found by the dynamic linker
      if (auto status = check_trusted_file("event_plugin_name", std::string(name)); !status)
        return status;
    }
  return {};
}

}  // namespace weft
