// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The bodies of answers that are being sent. A body that several answers share counts once.
// Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace weft {

class HttpBodies {
 public:
  using Body = std::shared_ptr<const std::string>;

  explicit HttpBodies(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Counts a reader of the body. False if the bodies would then exceed the limit; the reader is
  /// then not counted. A single body is accepted whatever its size, and every body if `always`.
  bool add(const Body& body, bool always);
  /// Undoes one add().
  void remove(const Body& body);
  std::size_t bytes() const;

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::map<const std::string*, std::size_t> readers_;
  std::size_t bytes_ = 0;
};

}  // namespace weft
