// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: recent events and the stream of events.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "service/http/http_handlers.h"

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

HttpAnswer events(HttpContext& context, const HttpCall& call) {
  auto limit = call.number("limit", 1000, EventRing::kKept);
  if (!limit) return std::move(limit.error());
  auto after = call.number("after", 0, UINT64_MAX);
  if (!after) return std::move(after.error());
  const std::uint64_t total = context.events->total();
  // Without `after`: the last `limit` events.
  const std::uint64_t from = call.request.find("after") || total < *limit ? *after : total - *limit;
  std::string text = fmt::format("{{\"total\":{},\"events\":[", total);
  for (const EventRing::Entry& entry : context.events->after(from, *limit)) {
    if (text.back() != '[') text += ",\n";
    text += entry.line;
  }
  return text_answer(200, text + "]}\n", "application/json");
}

HttpAnswer event_stream(HttpContext& context, const HttpCall& call) {
  std::uint64_t last = context.events->total();
  if (call.request.last_event) {
    const auto id = parse_number<std::uint64_t>(*call.request.last_event);
    if (!id) return error_answer(400, "Last-Event-ID: expected a number");
    last = std::min(last, *id);
  }
  HttpAnswer answer;
  answer.stream = std::make_unique<EventStream>(context.events, last);
  return answer;
}

}  // namespace weft::http
