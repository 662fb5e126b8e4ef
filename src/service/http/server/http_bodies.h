// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts the bytes of answer bodies that are being sent. A body that several answers share counts
// once. Thread-safe.
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

  /// Counts a reader of the body. Returns false, and does not count the reader, if the bodies would
  /// exceed the limit. A body of any size is accepted if it is the only body or if `always`.
  bool add(const Body& body, bool always);
  /// Removes a reader that add() counted.
  void remove(const Body& body);
  std::size_t bytes() const;

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::map<const std::string*, std::size_t> readers_;
  std::size_t bytes_ = 0;
};

}  // namespace weft
