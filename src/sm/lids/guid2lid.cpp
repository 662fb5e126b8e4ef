// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/lids/guid2lid.h"

#include <bit>
#include <set>

#include "base/file.h"
#include "base/files/state_lines.h"
#include "base/text.h"
#include "fabric/port_guids.h"

namespace weft {
namespace {

struct LidLine {
  LidKey key;
  LidRange range;
};

/// The content of the line, or an error.
Result<LidLine> parse_lid_line(std::string_view text) {
  const auto words = split_words(text);
  if (words.size() != 3 && words.size() != 4)
    return fail(Code::kBadInput,
                "found {} words, expected GUID, first and last LID, and for plane ports the port "
                "number",
                words.size());
  const auto guid = parse_number<std::uint64_t>(words[0], 16);
  const auto first = parse_number<std::uint16_t>(words[1], 16);
  const auto last = parse_number<std::uint16_t>(words[2], 16);
  if (!guid || *guid == 0)
    return fail(Code::kBadInput, "found '{}', expected a GUID in hex", words[0]);
  if (!first || !last)
    return fail(Code::kBadInput, "found '{} {}', expected two LIDs in hex", words[1], words[2]);
  const unsigned count = *last >= *first ? *last - *first + 1u : 0u;
  if (!is_unicast(Lid(*first)) || !is_unicast(Lid(*last)) || !std::has_single_bit(count) ||
      count > 1u << kLmcMax || *first % count != 0)
    return fail(
        Code::kBadInput,
        "found LIDs 0x{:04x} to 0x{:04x}, expected an aligned range of 1 to 128 unicast LIDs",
        *first, *last);
  const auto port = words.size() == 4 ? parse_number<std::uint8_t>(words[3], 10) : 0;
  if (!port || (words.size() == 4 && (*port == 0 || *port == 255)))
    return fail(Code::kBadInput, "found '{}', expected a port number from 1 to 254", words[3]);
  return LidLine{{Guid(*guid), PortNum(*port)},
                 {Lid(*first), static_cast<std::uint8_t>(std::countr_zero(count))}};
}

/// Adds lines one by one; of several lines with the same LID or GUID, the first is used.
class LidFileReading {
 public:
  /// Adds a line; returns its error, or empty if it was added.
  std::string add(std::string_view text) {
    const auto line = parse_lid_line(text);
    if (!line) return line.error().message;
    const unsigned first = line->range.base.value();
    const unsigned last = first + (1u << line->range.lmc) - 1;
    bool free = !memory.contains(line->key);
    for (unsigned lid = first; lid <= last; ++lid) free = free && !taken_[lid];
    if (!free)
      return fmt::format("GUID 0x{:016x} or a LID of 0x{:04x} to 0x{:04x} is in an earlier line",
                         line->key.guid.value(), first, last);
    for (unsigned lid = first; lid <= last; ++lid) taken_[lid] = true;
    memory.emplace(line->key, line->range);
    return {};
  }

  LidMemory memory;

 private:
  std::vector<bool> taken_ = std::vector<bool>(std::size_t{kUnicastLidCount} + 1, false);
};

}  // namespace

Result<LidMemory> read_guid2lid(const std::string& path, std::vector<std::string>& warnings) {
  LidFileReading reading;
  const auto read = read_state_lines(path, kGuid2LidWarningsMax, warnings,
                                     [&](std::string_view line) { return reading.add(line); });
  if (!read) return forward(read);
  return std::move(reading.memory);
}

LidKey lid_key(const Fabric& fabric, EndportId endport, const LidMemory& memory) {
  const Port& port = fabric.port(fabric.endport(endport).port);
  const auto numbered = memory.lower_bound({port.guid, PortNum(1)});
  const bool was_shared = numbered != memory.end() && numbered->first.guid == port.guid;
  const bool is_shared = was_shared || find_endports(fabric, port.guid).size() > 1;
  return {port.guid, is_shared ? port.num : PortNum(0)};
}

LidMemory::const_iterator find_lid(const Fabric& fabric, EndportId endport,
                                   const LidMemory& memory) {
  const LidKey key = lid_key(fabric, endport, memory);
  const auto found = memory.find(key);
  return found == memory.end() ? memory.find(key.guid) : found;
}

std::string guid2lid_line(const LidKey& key, const LidRange& range) {
  const std::string line =
      fmt::format("0x{:016x} 0x{:04x} 0x{:04x}", key.guid.value(), range.base.value(),
                  range.base.value() + (1u << range.lmc) - 1);
  return key.port == PortNum(0) ? line : fmt::format("{} {}", line, key.port.value());
}

Status write_guid2lid(const std::string& path, const LidMemory& memory) {
  return write_file(path, [&](const auto& append) {
    for (const auto& [key, range] : memory) append(guid2lid_line(key, range) + "\n\n");
  });
}

void keep_port_lids(const Fabric& fabric, LidMemory& lids) {
  std::set<LidKey> adopted;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    const LidKey key = lid_key(fabric, EndportId(e), lids);
    if (endport.lid != kLidNone && adopted.insert(key).second)
      lids[key] = {endport.lid, endport.lmc};
  }
}

}  // namespace weft
