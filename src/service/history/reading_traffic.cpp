// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/history/reading_traffic.h"

#include "base/check.h"
#include "gmp/counter_dump.h"
#include "gmp/sqlite.h"
#include "service/error_sum.h"
#include "service/history/traffic_sums.h"

namespace weft {
namespace {

std::string sum_of(Counter counter) {
  return fmt::format(fmt::runtime(kIntegerSum), dump_name(counter));
}

/// SQL expression for the sum of the counters that errors_of() adds.
std::string sum_of_errors() {
  std::string text = "0";
  for (std::size_t i = 0; i < kErrorCounterCount; ++i)
    if (counter_at(i) != Counter::kXmitWait) text += " + " + sum_of(counter_at(i));
  return text;
}

std::string traffic_query(bool of_port) {
  return fmt::format(
      "SELECT (time - seconds) / ?1, min(time - seconds), max(time), {bytes} * {sent}, {bytes} * "
      "{received}, {wait}, {errors}, {bytes} * max(max_{sent_rate}), {bytes} * "
      "max(max_{received_rate}) FROM series WHERE guid = ?2 AND time >= ?3 AND time - seconds >= "
      "?3 AND time - seconds < ?4{port} GROUP BY 1",
      fmt::arg("bytes", kBytesOfData), fmt::arg("sent", sum_of(Counter::kXmitData)),
      fmt::arg("received", sum_of(Counter::kRcvData)), fmt::arg("wait", sum_of(Counter::kXmitWait)),
      fmt::arg("errors", sum_of_errors()), fmt::arg("sent_rate", dump_name(Counter::kXmitData)),
      fmt::arg("received_rate", dump_name(Counter::kRcvData)),
      fmt::arg("port", of_port ? " AND port = ?5" : ""));
}

}  // namespace

Result<std::vector<TrafficSum>> traffic_of_readings(const std::string& path,
                                                    const TrafficQuery& query) {
  CHECK(query.step > 0);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  const SqliteHandle handle(raw);
  const auto failure = [&] {
    return fail(Code::kEnvironment, "{}: cannot be read: {}", path,
                raw == nullptr ? "out of memory" : sqlite3_errmsg(raw));
  };
  if (code != SQLITE_OK) return failure();
  sqlite3_busy_timeout(raw, kHistoryBusyMs);
  const QueryDeadline deadline = end_queries_after(raw, query.time_max);
  TrafficSums sums(query.limit);
  if (!sums.add(raw, traffic_query(query.port.has_value()), query)) return failure();
  return sums.newest();
}

}  // namespace weft
