// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sealed files in memory with the bodies of HTTP responses. Responses that share a body share a
// file while the body exists. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/front/front_channel.h"

namespace weft::front {

class BodyFiles {
 public:
  struct File {
    std::uint64_t id = 0;  // unique for each file
    std::shared_ptr<const Descriptor> descriptor;
  };

  /// The file of a body; the first call creates the file, and two concurrent first calls create a
  /// file each. Empty if the file cannot be created, such as for lack of memory.
  std::optional<File> file_of(const std::shared_ptr<const std::string>& body);
  /// Number of files with bodies that still exist.
  std::size_t count();

 private:
  struct Entry {
    std::weak_ptr<const std::string> body;
    File file;
  };
  void drop_expired();

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::uint64_t last_id_ = 0;
};

}  // namespace weft::front
