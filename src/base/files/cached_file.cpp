// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/files/cached_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"

namespace weft {
namespace {

constexpr unsigned kDamagedCopiesMax = 99;

}  // namespace

/// Makes a hard link if the file system supports it, else a copy. The file is never renamed, so
/// that it stays in place if the process is killed.
Result<std::string> copy_damaged(const std::string& path) {
  std::error_code error;
  for (unsigned n = 1; n <= kDamagedCopiesMax; ++n) {
    std::string copy = fmt::format("{}.damaged{}", path, n == 1 ? "" : fmt::format(".{}", n));
    std::filesystem::create_hard_link(path, copy, error);
    if (!error) return copy;
    if (error == std::errc::file_exists) continue;
    std::filesystem::copy_file(path, copy, error);
    if (!error) return copy;
    if (error != std::errc::file_exists) break;
  }
  return fail(Code::kEnvironment, "{}: cannot be copied to {}.damaged: {}", path, path,
              error.message());
}

void CachedPlace::add_read_warning(const Error& error, std::vector<std::string>& warnings) {
  may_overwrite_ = false;
  warnings.push_back(fmt::format("cannot read the {} of earlier runs: {}", what_, error.message));
}

void CachedPlace::keep_damaged(const std::string& path, std::vector<std::string>& warnings) {
  const auto copy = copy_damaged(path);
  may_overwrite_ = copy.has_value();
  warnings.push_back(copy ? fmt::format("{}: damaged, copied to {}", path, *copy)
                          : copy.error().message);
}

bool CachedPlace::may_write(const std::string& folder, const std::string& path,
                            std::vector<std::string>& warnings) {
  if (!may_overwrite_) {
    warnings.push_back(
        fmt::format("{} are not saved for later runs: {} is left unchanged", what_, path));
    return false;
  }
  const auto made = make_directory(folder);
  if (!made) add_save_warning(made.error(), warnings);
  return made.has_value();
}

void CachedPlace::add_save_warning(const Error& error, std::vector<std::string>& warnings) {
  warnings.push_back(fmt::format("{} are not saved for later runs: {}", what_, error.message));
}

}  // namespace weft
