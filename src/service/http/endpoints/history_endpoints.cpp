// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: the history of events, sweeps and counters.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/text.h"
#include "service/events/event.h"
#include "service/http/data/history.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

constexpr auto kHistoryTimeMax = std::chrono::seconds(10);

std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

/// Each request opens its own connection to the file, besides that of the writer.
template <class Read>
HttpAnswer from_history(const HttpCall& call, std::optional<Guid> node, Read read) {
  const std::string& path = call.posted.settings->history_file;
  if (path.empty()) return error_answer(404, "no history: start weft sm with --history FILE");
  HistoryQuery query;
  auto limit = call.number("limit", query.limit, kPageMax);
  if (!limit) return std::move(limit.error());
  query.limit = *limit;
  query.time_max = kHistoryTimeMax;
  for (const auto& [name, at] :
       {std::pair("since", &query.since_ns), std::pair("until", &query.until_ns)}) {
    if (call.text(name).empty()) continue;
    const auto when = parse_when(call.text(name), now_ns());
    if (!when) return error_answer(400, fmt::format("{}: {}", name, when.error().message));
    *at = *when;
  }
  for (const std::string_view kind : split(call.text("kind"), ',')) {
    if (trim(kind).empty()) continue;
    if (!is_event_kind(trim(kind)))
      return error_answer(400, fmt::format("kind: unknown event kind {}", weft::quoted(kind)));
    query.kinds.emplace_back(trim(kind));
  }
  query.name = call.text("name");
  query.node = node;
  if (!node && !call.text("node").empty()) {
    const auto guid = parse_number<std::uint64_t>(call.text("node"), 16);
    if (!guid) return not_a_guid(call.text("node"));
    query.node = Guid(*guid);
  }
  const auto json = read(path, query);
  return json ? json_answer(*json) : error_answer(503, json.error().message);
}

}  // namespace

HttpAnswer history_events(HttpContext&, const HttpCall& call) {
  return from_history(call, std::nullopt, &http_data::history_events);
}

HttpAnswer history_sweeps(HttpContext&, const HttpCall& call) {
  return from_history(call, std::nullopt, &http_data::history_sweeps);
}

HttpAnswer history_counters(HttpContext&, const HttpCall& call) {
  const auto guid = parse_number<std::uint64_t>(call.rest, 16);
  if (!guid) return not_a_guid(call.rest);
  return from_history(call, Guid(*guid), &http_data::history_counters);
}

}  // namespace weft::http
