// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/group_number_file.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/files/state_lines.h"
#include "base/text.h"

namespace weft {
namespace {

/// Reads the lines of the file. If lines have the same GUID or number, only the first line is used.
class GroupNumberReading {
 public:
  /// Adds a line. Returns the error of the line; empty if the line was added.
  std::string add(std::string_view text) {
    const auto words = split_words(text);
    const auto guid = parse_number<std::uint64_t>(words[0], 16);
    if (!guid || *guid == 0) return fmt::format("found '{}', expected a GUID in hex", words[0]);
    if (words.size() < 2) return "found only a GUID, expected a GUID and group numbers";
    std::vector<std::uint16_t> found;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto number = parse_number<std::uint16_t>(words[i], 10);
      if (!number || *number > kArGroupsMax)
        return fmt::format("found '{}', expected a group number from 0 to {}", words[i],
                           kArGroupsMax);
      const bool is_repeated = std::ranges::find(found, *number) != found.end();
      if (*number != 0 && (is_repeated || taken_.contains(*number)))
        return fmt::format("group {} is repeated", *number);
      found.push_back(*number);
    }
    if (numbers.contains(Guid(*guid))) return fmt::format("GUID 0x{:016x} is repeated", *guid);
    taken_.insert(found.begin(), found.end());
    numbers.emplace(Guid(*guid), std::move(found));
    return {};
  }

  GroupNumberMemory numbers;

 private:
  std::set<std::uint16_t> taken_;
};

}  // namespace

Result<GroupNumberMemory> read_group_numbers(const std::string& path,
                                             std::vector<std::string>& warnings) {
  GroupNumberReading reading;
  const auto read = read_state_lines(path, kGroupNumberWarningsMax, warnings,
                                     [&](std::string_view line) { return reading.add(line); });
  if (!read) return forward(read);
  return std::move(reading.numbers);
}

std::string group_number_line(Guid guid, const std::vector<std::uint16_t>& numbers) {
  std::string line = fmt::format("0x{:016x}", guid.value());
  for (const std::uint16_t number : numbers) line += fmt::format(" {}", number);
  return line;
}

Status write_group_numbers(const std::string& path, const GroupNumberMemory& numbers) {
  return write_file(path, [&](const auto& append) {
    for (const auto& [guid, of] : numbers) append(group_number_line(guid, of) + "\n");
  });
}

}  // namespace weft
