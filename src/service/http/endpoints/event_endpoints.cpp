// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: recent events and the stream of events.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "service/http/event_stream.h"
#include "service/http/http_handlers.h"

namespace weft::http {
HttpAnswer events(HttpContext& context, const HttpCall& call) {
  auto limit = call.number("limit", 1000, EventRing::kKept);
  if (!limit) return std::move(limit.error());
  auto after = call.number("after", 0, UINT64_MAX);
  if (!after) return std::move(after.error());
  const std::uint64_t total = context.events->total();
  // Without `after`, select the last `limit` events.
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
    if (!id)
      return error_answer(400, fmt::format("Last-Event-ID: found {}, expected a number",
                                           weft::quoted(*call.request.last_event)));
    last = std::min(last, *id);
  }
  HttpAnswer answer;
  answer.stream = event_stream_after(context.events, last);
  answer.stream_after = last;
  return answer;
}

}  // namespace weft::http
