// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: the jobs of the cluster.
#include <utility>

#include "base/text.h"
#include "service/http/data/jobs.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer jobs(HttpContext& context, const HttpCall&) {
  return json_answer(http_data::jobs(context.jobs.all()));
}

HttpAnswer job(HttpContext& context, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  const JobPtr found = context.jobs.find(std::string(call.rest));
  if (!found) return error_answer(404, "no job " + weft::quoted(call.rest));
  const std::uint64_t total = context.events->total();
  const std::uint64_t from = total < EventRing::kKept ? 0 : total - EventRing::kKept;
  return json_answer(http_data::job(
      found, context.jobs,
      {call.posted.snapshot, context.counters(), context.events->after(from, EventRing::kKept)}));
}

HttpAnswer begin_job(HttpContext& context, const HttpCall& call) {
  auto job = http_data::new_job(Json::parse(call.request.body, nullptr, false));
  if (!job) return error_answer(400, job.error().message);
  job->begun = std::chrono::system_clock::now();
  if (call.posted.snapshot)
    http_data::set_baseline(*job, *call.posted.snapshot, context.counters());
  const Json summary = http_data::job_summary(*job);
  if (const Status begun = context.jobs.begin(std::move(*job)); !begun)
    return error_answer(503, begun.error().message);
  return json_answer(summary, 201);
}

HttpAnswer end_job(HttpContext& context, const HttpCall& call) {
  const JobPtr ended = context.jobs.end(std::string(call.rest), std::chrono::system_clock::now());
  if (!ended) return error_answer(404, "no job " + weft::quoted(call.rest) + " runs");
  return json_answer(http_data::job_summary(*ended));
}

}  // namespace weft::http
