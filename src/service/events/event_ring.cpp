// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/events/event_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft {
namespace {

class RingSink final : public EventSink {
 public:
  explicit RingSink(std::shared_ptr<EventRing> ring) : ring_(std::move(ring)) {}
  void take(const Event& event, WallTime at) override { ring_->add(event, at); }

 private:
  const std::shared_ptr<EventRing> ring_;
};

}  // namespace

void EventRing::add(const Event& event, WallTime at) {
  const std::string line = json_line(event, at);
  {
    const std::lock_guard lock(mutex_);
    ++total_;
    entries_.push_back({total_, fmt::format("{{\"id\":{},{}", total_, line.substr(1))});
    if (entries_.size() > kKept) entries_.pop_front();
  }
  if (on_entry_added) on_entry_added();
}

void EventRing::put(Entry entry) {
  {
    const std::lock_guard lock(mutex_);
    if (entry.id != total_ + 1) entries_.clear();
    total_ = entry.id;
    entries_.push_back(std::move(entry));
    if (entries_.size() > kKept) entries_.pop_front();
  }
  if (on_entry_added) on_entry_added();
}

std::uint64_t EventRing::total() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::vector<EventRing::Entry> EventRing::after(std::uint64_t id, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> entries;
  if (entries_.empty() || id >= total_) return entries;
  const std::uint64_t first = entries_.front().id;
  const std::size_t begin = id < first ? 0 : static_cast<std::size_t>(id - first + 1);
  const std::size_t count = std::min(most, entries_.size() - begin);
  const auto from = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
  entries.assign(from, from + static_cast<std::ptrdiff_t>(count));
  return entries;
}

std::unique_ptr<EventSink> make_sink_into(std::shared_ptr<EventRing> ring) {
  return std::make_unique<RingSink>(std::move(ring));
}

}  // namespace weft
