// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/temp_dir.h"

#include <cstdlib>
#include <filesystem>

namespace weft {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft
