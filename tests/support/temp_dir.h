// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A temporary folder of a test, removed with the object.
#pragma once

#include <string>

namespace weft {

class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace weft
