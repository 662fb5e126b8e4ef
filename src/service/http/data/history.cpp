// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/history.h"

#include <chrono>
#include <vector>

#include "service/history/reading_traffic.h"

namespace weft::http_data {
namespace {

std::string text_of(std::int64_t ns) { return time_text(WallTime(std::chrono::nanoseconds(ns))); }

Result<Json> traffic_json(const Result<std::vector<TrafficSum>>& sums, const TrafficQuery& query) {
  if (!sums) return forward(sums);
  Json list = Json::array();
  for (const TrafficSum& sum : *sums)
    list.push_back({{"begin", text_of(sum.begin * kSecondNs)},
                    {"seconds", sum.seconds},
                    {"sent_bytes", sum.sent_bytes},
                    {"received_bytes", sum.received_bytes},
                    {"wait_ticks", sum.wait_ticks},
                    {"errors", sum.errors},
                    {"sent_peak", sum.sent_peak},
                    {"received_peak", sum.received_peak}});
  return Json{{"step", query.step}, {"intervals", std::move(list)}};
}

}  // namespace

Result<Json> history_events(const std::string& path, const HistoryQuery& query) {
  auto reader = HistoryReader::open(path);
  if (!reader) return forward(reader);
  const auto events = reader->events(query);
  if (!events) return forward(events);
  Json list = Json::array();
  for (const HistoryEvent& event : *events) {
    Json json{{"id", event.id}};
    const Json members = Json::parse(event.line, nullptr, false);
    if (members.is_object()) json.update(members);
    list.push_back(std::move(json));
  }
  return Json{{"events", std::move(list)}};
}

Result<Json> history_sweeps(const std::string& path, const HistoryQuery& query) {
  auto reader = HistoryReader::open(path);
  if (!reader) return forward(reader);
  const auto sweeps = reader->sweeps(query);
  if (!sweeps) return forward(sweeps);
  Json list = Json::array();
  for (const SweepRecord& sweep : *sweeps)
    list.push_back({{"begun", text_of(sweep.begun_ns)},
                    {"ended", text_of(sweep.ended_ns)},
                    {"seconds", static_cast<double>(sweep.ended_ns - sweep.begun_ns) / kSecondNs},
                    {"number", sweep.number},
                    {"reason", sweep.reason},
                    {"up", sweep.up},
                    {"error", sweep.error},
                    {"changes", sweep.changes}});
  return Json{{"sweeps", std::move(list)}};
}

Result<Json> history_counters(const std::string& path, const HistoryQuery& query) {
  auto reader = HistoryReader::open(path);
  if (!reader) return forward(reader);
  const auto counters = reader->counters(query);
  if (!counters) return forward(counters);
  Json list = Json::array();
  for (const CounterRecord& record : *counters)
    list.push_back({{"begin", text_of(record.begin * kSecondNs)},
                    {"seconds", record.seconds},
                    {"port", record.port.value()},
                    {"sent_bytes", record.sent_bytes},
                    {"received_bytes", record.received_bytes},
                    {"wait_ticks", record.wait_ticks},
                    {"errors", record.errors}});
  return Json{{"counters", std::move(list)}};
}

Result<Json> history_traffic(const std::string& path, const TrafficQuery& query) {
  auto reader = HistoryReader::open(path);
  if (!reader) return forward(reader);
  return traffic_json(reader->traffic(query), query);
}

Result<Json> reading_traffic(const std::string& path, const TrafficQuery& query) {
  return traffic_json(traffic_of_readings(path, query), query);
}

}  // namespace weft::http_data
