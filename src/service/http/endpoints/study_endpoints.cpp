// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: what-if studies.
#include <optional>
#include <utility>

#include "base/text.h"
#include "service/http/http_handlers.h"
#include "service/http/http_studies.h"

namespace weft::http {
namespace {

/// The body of a request for a study; the error answer if it is invalid. Requires the type
/// application/json, which pages of other origins cannot send without a CORS preflight.
tl::expected<Json, HttpAnswer> study_body(const HttpRequest& request) {
  if (request.body_type != "application/json")
    return tl::unexpected(error_answer(415, "expected Content-Type: application/json"));
  Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) return tl::unexpected(error_answer(400, "expected a JSON object"));
  return body;
}

HttpAnswer run_study(HttpContext& context, const HttpCall& call, const Studies::Study& study) {
  auto done = context.studies.run(call.posted.snapshot->fabric, study);
  if (done) return json_answer(*done);
  const Code code = done.error().code;
  const int status = code == Code::kTimeout ? 503 : code == Code::kUsage ? 400 : 409;
  return error_answer(status, done.error().message);
}

}  // namespace

HttpAnswer engines(HttpContext& context, const HttpCall& call) {
  return from_snapshot(context, call,
                       [](const Snapshot& snapshot) { return engines_json(snapshot); });
}

HttpAnswer compare(HttpContext& context, const HttpCall& call) {
  auto body = study_body(call.request);
  if (!body) return std::move(body.error());
  if (body->size() != 1 || !body->contains("engine") || !(*body)["engine"].is_string())
    return error_answer(400, "expected an engine, such as {\"engine\": \"nue\"}");
  if (!call.posted.snapshot) return no_data_yet();
  return run_study(context, call, [&] {
    return compare_engine(*call.posted.snapshot, *call.posted.settings, (*body)["engine"]);
  });
}

HttpAnswer what_if(HttpContext& context, const HttpCall& call) {
  auto body = study_body(call.request);
  if (!body) return std::move(body.error());
  const auto wrong = [] {
    return error_answer(400,
                        "expected {\"node\": \"GUID\", \"port\": 7}, or a switch without port");
  };
  const bool has_port = body->contains("port");
  if (body->size() != (has_port ? 2u : 1u) || !body->contains("node") ||
      !(*body)["node"].is_string())
    return wrong();
  const auto guid = parse_number<std::uint64_t>((*body)["node"].get<std::string>(), 16);
  std::optional<PortNum> port;
  if (has_port) {
    const Json& num = (*body)["port"];
    if (!num.is_number_unsigned() || num.get<std::uint64_t>() > UINT8_MAX) return wrong();
    port = PortNum(num.get<std::uint8_t>());
  }
  if (!guid) return wrong();
  if (!call.posted.snapshot) return no_data_yet();
  const auto failure = failure_at(call.posted.snapshot->fabric, Guid(*guid), port);
  if (!failure) return error_answer(404, failure.error().message);
  return run_study(context, call, [&] {
    return weft::what_if(*call.posted.snapshot, *call.posted.settings, *failure);
  });
}

}  // namespace weft::http
