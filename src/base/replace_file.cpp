// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/replace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace weft {

Status replace_file(const std::string& path, std::string_view content, unsigned mode) {
  constexpr unsigned kModeBits = 07777;
  std::error_code error;
  auto place = std::filesystem::canonical(path, error);
  if (error) place = path;
  struct stat before {};
  const bool exists = ::stat(place.c_str(), &before) == 0;
  if (auto written =
          write_file(place.string(), content, exists ? before.st_mode & kModeBits : mode);
      !written)
    return written;
  if (!exists) return {};
  if (::chown(place.c_str(), before.st_uid, before.st_gid) != 0) {
    // Only root may change the owner; the content is still replaced.
  }
  (void)::chmod(place.c_str(),
                before.st_mode & kModeBits);  // restores the bits cleared by the umask
  return {};
}

}  // namespace weft
