// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/emulated_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace weft::cli {

Result<EmulatedFolder> EmulatedFolder::create() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    return fail(Code::kEnvironment, "--emulate: no folder for temporary files: {}: set TMPDIR",
                error.message());
  std::string path = (parent / "weft-emulated-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr)
    return fail(Code::kEnvironment,
                "--emulate: cannot create a folder in {}: {}: set TMPDIR to a writable folder",
                parent.string(), std::strerror(errno));
  return EmulatedFolder(std::move(path));
}

EmulatedFolder::EmulatedFolder(EmulatedFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

EmulatedFolder::~EmulatedFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft::cli
