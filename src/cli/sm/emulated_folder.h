// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Private folder for the files of an emulated manager, created at the start and removed at the end,
// so that the emulated manager shares no file with the machine's subnet manager or with another
// emulation.
#pragma once

#include <string>

#include "base/result.h"

namespace weft::cli {

class EmulatedFolder {
 public:
  /// Creates `weft-emulated-XXXXXX` below TMPDIR (else /tmp) with mode 0700. Fails with
  /// kEnvironment.
  static Result<EmulatedFolder> create();

  EmulatedFolder(EmulatedFolder&& other) noexcept;
  EmulatedFolder& operator=(EmulatedFolder&&) = delete;
  ~EmulatedFolder();

  const std::string& path() const { return path_; }

 private:
  explicit EmulatedFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty after a move
};

}  // namespace weft::cli
