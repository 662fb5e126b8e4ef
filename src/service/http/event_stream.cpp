// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/event_stream.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

namespace weft::http {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kHeartbeat = std::chrono::seconds(15);
constexpr std::size_t kEventsAtOnce = 256;

/// The event stream of one client.
class EventStream final : public HttpStream {
 public:
  EventStream(std::shared_ptr<const EventRing> ring, std::uint64_t last)
      : ring_(std::move(ring)), last_(last), sent_at_(Steady::now()) {}

  std::string next() override {
    std::string text = first_ ? "retry: 2000\n\n" : "";
    first_ = false;
    for (const EventRing::Entry& entry : ring_->after(last_, kEventsAtOnce)) {
      if (entry.id > last_ + 1)
        text += fmt::format("data: {{\"id\":{},\"event\":\"events_lost\",\"count\":{}}}\n\n",
                            entry.id - 1, entry.id - last_ - 1);
      text += fmt::format("id: {}\ndata: {}\n\n", entry.id, entry.line);
      last_ = entry.id;
    }
    const auto now = Steady::now();
    if (text.empty() && now - sent_at_ > kHeartbeat) text = ": heartbeat\n\n";
    if (!text.empty()) sent_at_ = now;
    return text;
  }

 private:
  const std::shared_ptr<const EventRing> ring_;
  std::uint64_t last_;
  bool first_ = true;
  Steady::time_point sent_at_;
};

}  // namespace

std::unique_ptr<HttpStream> event_stream_after(std::shared_ptr<const EventRing> ring,
                                               std::uint64_t id) {
  return std::make_unique<EventStream>(std::move(ring), id);
}

}  // namespace weft::http
