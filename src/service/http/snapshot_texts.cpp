// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/snapshot_texts.h"

#include <utility>

namespace weft {

std::string SnapshotTexts::key_of(const HttpRequest& request) {
  std::string key = request.path;
  for (const auto& [name, value] : request.query) {
    key.append("\n").append(name);
    key.append("\n").append(value);
  }
  return key;
}

SnapshotTexts::Text SnapshotTexts::text(const std::shared_ptr<const Snapshot>& snapshot,
                                        std::string key,
                                        const std::function<std::string(const Snapshot&)>& make) {
  std::shared_ptr<const Snapshot> old;  // may be the last reference; destroyed outside the lock
  decltype(texts_) old_texts;
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_ != snapshot) {
      old_texts.swap(texts_);
      bytes_ = 0;
      old = std::exchange(snapshot_, snapshot);
    }
    if (const auto found = texts_.find(key); found != texts_.end()) return found->second;
  }
  auto text = std::make_shared<const std::string>(make(*snapshot));
  const std::lock_guard lock(mutex_);
  const std::size_t size = key.size() + text->size();
  if (snapshot_ == snapshot && bytes_ + size <= kBytesMax &&
      texts_.emplace(std::move(key), text).second)
    bytes_ += size;
  return text;
}

SnapshotTexts::Text SnapshotTexts::find(const std::shared_ptr<const Snapshot>& snapshot,
                                        const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (snapshot_ != snapshot) return nullptr;
  const auto found = texts_.find(key);
  return found == texts_.end() ? nullptr : found->second;
}

}  // namespace weft
