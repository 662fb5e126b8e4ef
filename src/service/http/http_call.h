// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Arguments and shared state of the handlers of the HTTP endpoints, and their common answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/events/event_ring.h"
#include "service/http/data/json.h"
#include "service/http/http_message.h"
#include "service/http/http_studies.h"
#include "service/http/snapshot_texts.h"
#include "service/http_options.h"
#include "service/jobs/job_book.h"
#include "service/sm_board.h"

namespace weft::http {

using http_data::Json;

constexpr std::size_t kPageMax = 10'000;  // items of a list in one answer

/// A request for an endpoint.
struct HttpCall {
  const HttpRequest& request;
  std::string_view rest;  // path of the request after the path of the endpoint
  SmBoard::Posted posted;

  /// A numeric parameter of the query, at most `most`; `otherwise` if it is absent. Fails with the
  /// error answer.
  tl::expected<std::uint64_t, HttpAnswer> number(const std::string& name, std::uint64_t otherwise,
                                                 std::uint64_t most) const;
  /// The page from the parameters `offset` and `limit`. Fails with the error answer.
  tl::expected<http_data::Page, HttpAnswer> page() const;
  /// A parameter of the query; empty if it is absent.
  std::string_view text(const std::string& name) const;
};

/// State shared by all calls. Thread-safe.
struct HttpContext {
  /// `board` must outlive this object.
  HttpContext(HttpOptions api_options, SmBoard& sm_board, std::shared_ptr<const EventRing> ring);

  const HttpOptions options;
  SmBoard& board;
  const std::shared_ptr<const EventRing> events;
  SnapshotTexts texts;
  Studies studies;
  JobBook& jobs;
  std::mutex drawing_mutex;  // one drawing is computed at a time

  /// Cached document of all settings; valid until the settings change.
  struct ConfigurationText {
    std::mutex mutex;
    std::shared_ptr<const Settings> settings;
    std::shared_ptr<const std::string> text;
  } configuration;

  /// The counters of all ports, read at most a second ago, or earlier if the performance manager
  /// does not answer in time; null without a performance manager.
  PortCountsTable counters();

 private:
  // Concurrent requests share a reading.
  std::mutex counters_mutex_;
  PortCountsTable counters_;
  std::chrono::steady_clock::time_point counters_at_{};
};

HttpAnswer json_answer(const Json& json, int status = 200);
/// The answer {"error": what}.
HttpAnswer error_answer(int status, const std::string& what);
HttpAnswer text_answer(int status, std::string text,
                       std::string type = "text/plain; charset=utf-8");
HttpAnswer no_data_yet();
/// The answer for data of the performance manager if the manager reads no counters.
HttpAnswer no_counters();
HttpAnswer not_a_guid(std::string_view found);
/// The answer for a change that the manager rejected or that failed.
HttpAnswer refused(const Error& error);

/// The document of the snapshot, from the cache or from `make`. The document may depend only on the
/// snapshot and the request.
template <class Make>
HttpAnswer from_snapshot(HttpContext& context, const HttpCall& call, Make make) {
  if (!call.posted.snapshot) return no_data_yet();
  HttpAnswer answer;
  answer.body =
      context.texts.text(call.posted.snapshot, SnapshotTexts::key_of(call.request),
                         [&](const Snapshot& snapshot) { return http_data::text(make(snapshot)); });
  return answer;
}

}  // namespace weft::http
