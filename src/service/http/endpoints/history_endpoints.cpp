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
#include "service/jobs/job_traffic.h"

namespace weft::http {
namespace {

constexpr auto kHistoryTimeMax = std::chrono::seconds(10);
constexpr std::uint64_t kStepMax = 366 * 86'400;  // seconds

std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

HttpAnswer no_history() {
  return error_answer(404, "no history: start weft sm with --history FILE");
}

/// Sets the limit and the times of a HistoryQuery or TrafficQuery from the request. Returns the
/// error answer if a parameter is invalid, else an empty value.
template <class Query>
std::optional<HttpAnswer> set_range(const HttpCall& call, Query& query) {
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
  return std::nullopt;
}

/// Answers from the history. Opens a connection to the file for each request.
template <class Read>
HttpAnswer from_history(const HttpCall& call, std::optional<Guid> node, Read read) {
  const std::string& path = call.posted.settings->history_file;
  if (path.empty()) return no_history();
  HistoryQuery query;
  if (auto error = set_range(call, query)) return std::move(*error);
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

/// Sets the nodes and the port of the query from the node or job in the request. Returns the error
/// answer if a parameter is invalid or the job is unknown, else an empty value.
std::optional<HttpAnswer> set_nodes(HttpContext& context, const HttpCall& call,
                                    TrafficQuery& query) {
  const std::string_view node = call.text("node"), job = call.text("job");
  if (node.empty() == job.empty())
    return error_answer(400, "expected node=GUID with an optional port=NUMBER, or job=ID");
  if (!job.empty()) {
    if (!call.text("port").empty()) return error_answer(400, "port: a job has no port numbers");
    const JobPtr found = context.jobs.find(std::string(job));
    if (!found) return error_answer(404, "no job " + weft::quoted(job));
    if (!call.posted.snapshot) return no_data_yet();
    query.nodes = nodes_of_hosts(call.posted.snapshot->fabric, found->hosts);
    return std::nullopt;
  }
  const auto guid = parse_number<std::uint64_t>(node, 16);
  if (!guid) return not_a_guid(node);
  query.nodes = {Guid(*guid)};
  auto port = call.number("port", 0, 255);
  if (!port) return std::move(port.error());
  if (!call.text("port").empty()) query.port = PortNum(static_cast<std::uint8_t>(*port));
  return std::nullopt;
}

}  // namespace

HttpAnswer history_traffic(HttpContext& context, const HttpCall& call) {
  const std::string& history = call.posted.settings->history_file;
  const std::string readings = history.empty() ? context.board.counter_database.get() : "";
  if (history.empty() && readings.empty())
    return error_answer(
        404, "no history and no readings: start weft sm with --history FILE or --perfmgr");
  TrafficQuery query;
  if (auto error = set_range(call, query)) return std::move(*error);
  if (auto error = set_nodes(context, call, query)) return std::move(*error);
  auto step = call.number("step", query.step, kStepMax);
  if (!step) return std::move(step.error());
  if (*step == 0) return error_answer(400, "step: found 0, expected at least 1 second");
  query.step = static_cast<std::uint32_t>(*step);
  const auto json = history.empty() ? http_data::reading_traffic(readings, query)
                                    : http_data::history_traffic(history, query);
  return json ? json_answer(*json) : error_answer(503, json.error().message);
}

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
