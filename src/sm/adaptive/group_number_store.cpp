// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/group_number_store.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/files/taken_lines.h"
#include "base/text.h"
#include "sm/lids/guid2lid.h"

namespace weft {
namespace {

std::string group_number_file(const std::string& cache_dir) { return cache_dir + "/guid2argroup"; }

/// Adds lines one by one; the first line with a GUID or a number wins.
class GroupNumberReading {
 public:
  /// Error of the line; empty: it was added.
  std::string add(std::string_view text) {
    const auto words = split_words(text);
    const auto guid = parse_number<std::uint64_t>(words[0], 16);
    if (!guid || *guid == 0) return fmt::format("found '{}', expected a GUID in hex", words[0]);
    if (words.size() < 2) return "found a GUID alone, expected group numbers after it";
    std::vector<std::uint16_t> found;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto number = parse_number<std::uint16_t>(words[i], 10);
      if (!number || *number > kArGroupsMax)
        return fmt::format("found '{}', expected a group number from 0 to {}", words[i],
                           kArGroupsMax);
      const bool is_repeated = std::ranges::find(found, *number) != found.end();
      if (*number != 0 && (is_repeated || taken_.contains(*number)))
        return fmt::format("group {} stands in an earlier place", *number);
      found.push_back(*number);
    }
    if (numbers.contains(Guid(*guid)))
      return fmt::format("GUID 0x{:016x} stands in an earlier line", *guid);
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
  const auto read = take_lines(path, kGroupNumberWarningsMax, warnings,
                               [&](std::string_view line) { return reading.add(line); });
  if (!read) return forward(read);
  return std::move(reading.numbers);
}

Status write_group_numbers(const std::string& path, const GroupNumberMemory& numbers) {
  return write_file(path, [&](const auto& append) {
    for (const auto& [guid, of] : numbers) {
      std::string line = fmt::format("0x{:016x}", guid.value());
      for (const std::uint16_t number : of) line += fmt::format(" {}", number);
      append(line + "\n");
    }
  });
}

GroupNumberMemory& GroupNumberStore::recall(const std::string& cache_dir,
                                            std::vector<std::string>& warnings) {
  if (numbers_) return *numbers_;
  numbers_.emplace();
  saved_.emplace();
  if (cache_dir.empty()) return *numbers_;
  const std::string path = group_number_file(cache_dir);
  std::vector<std::string> complaints;
  auto read = read_group_numbers(path, complaints);
  if (!read) {
    may_overwrite_ = false;
    warnings.push_back("cannot read the group numbers of earlier runs: " + read.error().message);
    return *numbers_;
  }
  numbers_ = saved_ = std::move(*read);
  if (complaints.empty()) return *numbers_;
  warnings.insert(warnings.end(), complaints.begin(), complaints.end());
  const auto aside = keep_aside(path);
  may_overwrite_ = aside.has_value();
  saved_.reset();
  warnings.push_back(aside ? fmt::format("{}: damaged, copied to {}", path, *aside)
                           : aside.error().message);
  return *numbers_;
}

void GroupNumberStore::save(const std::string& cache_dir, std::vector<std::string>& warnings) {
  if (cache_dir.empty() || saved_ == numbers_) return;
  const std::string path = group_number_file(cache_dir);
  if (!may_overwrite_) {
    warnings.push_back(
        fmt::format("group numbers are not saved for later runs: {} is left unchanged", path));
    return;
  }
  auto status = make_directory(cache_dir);
  if (status) status = write_group_numbers(path, *numbers_);
  if (status) saved_ = numbers_;
  if (!status)
    warnings.push_back("group numbers are not saved for later runs: " + status.error().message);
}

}  // namespace weft
