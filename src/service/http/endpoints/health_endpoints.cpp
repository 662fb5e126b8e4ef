// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: health, metrics and the description of the HTTP service.
#include <memory>
#include <string>

#include "service/http/http_handlers.h"
#include "service/metrics/exporter_metrics.h"
#include "service/metrics/metrics.h"
#include "service/openapi_file.h"

namespace weft::http {
namespace {

constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

HttpAnswer healthz(HttpContext&, const HttpCall&) { return text_answer(200, "ok\n"); }

HttpAnswer readyz(HttpContext&, const HttpCall& call) {
  const std::string why = reason_not_ready(call.posted);
  return why.empty() ? text_answer(200, "ready\n") : text_answer(503, why + "\n");
}

HttpAnswer metrics(HttpContext& context, const HttpCall& call) {
  const auto& snapshot = call.posted.snapshot;
  const auto replication = context.board.replication.get();
  const MetricsView view{
      call.posted,
      context.board.sa_meter.get(),
      context.counters(),
      context.options.version,
      context.events->total(),
      context.board.history_meter.get(),
      context.board.alarms,
      context.board.alarm_receivers,
      snapshot ? context.texts.text(snapshot, "families of /metrics", &snapshot_metrics) : nullptr,
      replication ? std::optional(replication->status()) : std::nullopt,
      context.board.congestion_meter.get()};
  return text_answer(200, metrics_text(view), kMetricsType);
}

HttpAnswer exporter_names(HttpContext& context, const HttpCall& call) {
  const PortCountsTable counters = context.counters();
  if (!counters) return no_counters();
  if (!call.posted.snapshot) return no_data_yet();
  return text_answer(200, exporter_metrics(call.posted.snapshot.get(), counters), kMetricsType);
}

HttpAnswer openapi(HttpContext&, const HttpCall&) {
  static const auto text = std::make_shared<const std::string>(openapi_file::kOpenapi_json);
  HttpAnswer answer;
  answer.body = text;
  return answer;
}

}  // namespace weft::http
