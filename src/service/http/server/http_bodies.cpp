// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/server/http_bodies.h"

namespace weft {

bool HttpBodies::add(const Body& body, bool always) {
  if (!body) return true;
  const std::lock_guard lock(mutex_);
  const auto found = readers_.find(body.get());
  if (found != readers_.end()) {
    ++found->second;
    return true;
  }
  if (!always && bytes_ > 0 && bytes_ + body->size() > bytes_max_) return false;
  readers_.emplace(body.get(), 1);
  bytes_ += body->size();
  return true;
}

void HttpBodies::remove(const Body& body) {
  if (!body) return;
  const std::lock_guard lock(mutex_);
  const auto found = readers_.find(body.get());
  if (found == readers_.end() || --found->second > 0) return;
  readers_.erase(found);
  bytes_ -= body->size();
}

std::size_t HttpBodies::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace weft
