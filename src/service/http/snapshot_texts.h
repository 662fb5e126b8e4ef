// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cache of texts that depend only on the published snapshot and a key. The texts are valid until a
// new snapshot is published. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "service/http/http_message.h"
#include "service/sm_board.h"

namespace weft {

class SnapshotTexts {
 public:
  using Text = std::shared_ptr<const std::string>;

  /// The key of the answer to a request: path and query.
  static std::string key_of(const HttpRequest& request);

  /// The text of the snapshot and the key, from the cache or from `make`.
  Text text(const std::shared_ptr<const Snapshot>& snapshot, std::string key,
            const std::function<std::string(const Snapshot&)>& make);
  /// The cached text of the snapshot and the key; null if it is not cached.
  Text find(const std::shared_ptr<const Snapshot>& snapshot, const std::string& key);

 private:
  static constexpr std::size_t kBytesMax = std::size_t{32} << 20;

  std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::unordered_map<std::string, Text> texts_;
  std::size_t bytes_ = 0;
};

}  // namespace weft
