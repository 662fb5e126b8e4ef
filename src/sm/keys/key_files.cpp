// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/keys/key_files.h"

#include <filesystem>
#include <functional>

#include "base/file.h"
#include "base/files/state_lines.h"
#include "base/secure_path.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr unsigned kOwnerOnly = 0600;
/// Adds a line; returns its error, or empty if it was added.
using TakeLine = std::function<std::string(std::string_view)>;

Status read_lines(const std::string& path, std::vector<std::string>& warnings,
                  const TakeLine& take) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  if (auto status = check_only_owner_writes(path); !status) return status;
  return read_state_lines(path, kKeyFileWarningsMax, warnings, take);
}

std::string take_key(std::string_view text, KeyMemory& keys) {
  const auto words = split_words(text);
  if (words.size() != 2)
    return fmt::format("found {} words, expected port GUID and M_Key", words.size());
  const auto guid = parse_number<std::uint64_t>(words[0], 16);
  const auto key = parse_number<std::uint64_t>(words[1], 16);
  if (!guid || *guid == 0) return fmt::format("found '{}', expected a GUID in hex", words[0]);
  if (!key)
    return "the second word is not an M_Key in hex";  // not quoted: it may be a mistyped secret
  const auto [entry, is_new] = keys.emplace(Guid(*guid), Mkey(*key));
  if (!is_new && entry->second != Mkey(*key))
    return fmt::format("GUID 0x{:016x} has another M_Key in an earlier line", *guid);
  return {};
}

/// Parses `0xGUID:PORT`; none if malformed.
std::optional<CableEnd> cable_end(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto guid = parse_number<std::uint64_t>(word.substr(0, colon), 16);
  const auto port = parse_number<std::uint8_t>(word.substr(colon + 1), 10);
  if (!guid || *guid == 0 || !port || *port == 0 || *port == 255) return std::nullopt;
  return CableEnd{Guid(*guid), PortNum(*port)};
}

std::string take_cable(std::string_view text, NeighborMemory& neighbors) {
  const auto words = split_words(text);
  if (words.size() != 2)
    return fmt::format("found {} words, expected two ends of a cable", words.size());
  const auto near = cable_end(words[0]);
  const auto far = cable_end(words[1]);
  if (!near || !far)
    return fmt::format("found '{}', expected a GUID in hex, ':' and a port number",
                       near ? words[1] : words[0]);
  const auto [entry, is_new] = neighbors.emplace(*near, *far);
  if (!is_new && entry->second != *far)
    return fmt::format("GUID 0x{:016x} port {} has another neighbor in an earlier line",
                       near->guid.value(), near->port.value());
  return {};
}

}  // namespace

Result<KeyMemory> read_guid2mkey(const std::string& path, std::vector<std::string>& warnings) {
  KeyMemory keys;
  const auto read =
      read_lines(path, warnings, [&](std::string_view text) { return take_key(text, keys); });
  if (!read) return forward(read);
  return keys;
}

Result<NeighborMemory> read_neighbors(const std::string& path, std::vector<std::string>& warnings) {
  NeighborMemory neighbors;
  const auto read = read_lines(path, warnings,
                               [&](std::string_view text) { return take_cable(text, neighbors); });
  if (!read) return forward(read);
  return neighbors;
}

std::string guid2mkey_line(Guid guid, Mkey key) {
  return fmt::format("0x{:016x} 0x{:016x}", guid.value(), key.value());
}

std::string neighbors_line(const CableEnd& near, const CableEnd& far) {
  return fmt::format("0x{:016x}:{} 0x{:016x}:{}", near.guid.value(), near.port.value(),
                     far.guid.value(), far.port.value());
}

Status write_guid2mkey(const std::string& path, const KeyMemory& keys) {
  return write_file(
      path,
      [&](const auto& append) {
        for (const auto& [guid, key] : keys) append(guid2mkey_line(guid, key) + "\n\n");
      },
      kOwnerOnly);
}

Status write_neighbors(const std::string& path, const NeighborMemory& neighbors) {
  return write_file(
      path,
      [&](const auto& append) {
        for (const auto& [near, far] : neighbors) append(neighbors_line(near, far) + "\n\n");
      },
      kOwnerOnly);
}

NeighborMemory neighbors_of(const Fabric& fabric) {
  NeighborMemory neighbors;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& near = fabric.port(PortId(p));
    if (near.peer == kNoPort) continue;
    const Port& far = fabric.port(near.peer);
    neighbors.emplace(CableEnd{near.guid, near.num}, CableEnd{far.guid, far.num});
  }
  return neighbors;
}

}  // namespace weft
