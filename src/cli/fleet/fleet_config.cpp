// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/fleet/fleet_config.h"

#include <algorithm>

#include "base/text.h"

namespace weft::cli {
namespace {

constexpr std::size_t kFleetNameMax = 64;

std::string* file_named(ServerArgument& server, std::string_view word) {
  if (word == "token_file") return &server.token_file;
  if (word == "ca_file") return &server.ca_file;
  if (word == "certificate_file") return &server.certificate_file;
  if (word == "key_file") return &server.key_file;
  return nullptr;
}

Result<FleetEntry> entry_of(const std::vector<std::string_view>& words) {
  if (words.size() < 2 || words.size() % 2 != 0)
    return fail(Code::kBadInput,
                "found {} words, expected NAME URL, then pairs of a key and a file, such as "
                "token_file FILE",
                words.size());
  FleetEntry entry;
  entry.name = words[0];
  entry.server.url = words[1];
  entry.server.uses_environment = false;
  if (entry.name.size() > kFleetNameMax)
    return fail(Code::kBadInput, "name: found {} bytes, expected at most {}", entry.name.size(),
                kFleetNameMax);
  for (std::size_t i = 2; i < words.size(); i += 2) {
    std::string* const file = file_named(entry.server, words[i]);
    if (file == nullptr || !file->empty())
      return fail(Code::kBadInput,
                  "found {}, expected token_file, ca_file, certificate_file or key_file, each once",
                  weft::quoted(words[i]));
    *file = words[i + 1];
  }
  // Checks the URL. Files are read with each poll, so they may be replaced.
  ServerArgument without_files;
  without_files.url = entry.server.url;
  without_files.uses_environment = false;
  if (const auto client = ApiClient::open(without_files); !client) return forward(client);
  return entry;
}

}  // namespace

Result<std::vector<FleetEntry>> parse_fleet(std::string_view text, const std::string& path) {
  std::vector<FleetEntry> entries;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const auto words = split_words(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    auto entry = entry_of(words);
    if (!entry) return fail(Code::kBadInput, "{}:{}: {}", path, number, entry.error().message);
    if (std::ranges::find(entries, entry->name, &FleetEntry::name) != entries.end())
      return fail(Code::kBadInput, "{}:{}: found {} twice, expected different names", path, number,
                  weft::quoted(entry->name));
    if (entries.size() == kFleetMax)
      return fail(Code::kBadInput, "{}:{}: found manager number {}, expected at most {} managers",
                  path, number, kFleetMax + 1, kFleetMax);
    entries.push_back(std::move(*entry));
  }
  if (entries.empty())
    return fail(Code::kBadInput, "{}: found no manager, expected lines NAME URL", path);
  return entries;
}

}  // namespace weft::cli
