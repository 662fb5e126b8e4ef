// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_bodies.h"

#include <algorithm>
#include <utility>

namespace weft::front {

std::optional<BodyFiles::File> BodyFiles::file_of(const std::shared_ptr<const std::string>& body) {
  {
    const std::lock_guard lock(mutex_);
    drop_expired();
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
      return !entry.body.owner_before(body) && !body.owner_before(entry.body);
    });
    if (found != entries_.end()) return found->file;
  }
  auto file = sealed_file(*body);
  if (!file) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const File made{++last_id_, std::make_shared<const Descriptor>(std::move(*file))};
  entries_.push_back({body, made});
  return made;
}

std::size_t BodyFiles::count() {
  const std::lock_guard lock(mutex_);
  drop_expired();
  return entries_.size();
}

void BodyFiles::drop_expired() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.body.expired(); });
}

}  // namespace weft::front
