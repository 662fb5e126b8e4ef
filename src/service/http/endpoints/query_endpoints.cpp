// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: the state of the subnet administration.
#include <memory>

#include "service/http/data/queries.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

/// Reads the state of the subnet administration on its thread. Snapshots do not contain this state,
/// because this state changes between sweeps.
template <class Read>
HttpAnswer from_subnet_administration(HttpContext& context, Read read) {
  auto json = std::make_shared<Json>();
  const auto done = context.board.sa_access.call(
      [json, read](const SaServer& server) { *json = read(server.state()); });
  if (!done) return error_answer(503, "the subnet administration is not running");
  if (!*done) return error_answer(503, "timeout: the subnet administration is busy");
  return json_answer(*json);
}

}  // namespace

HttpAnswer multicast(HttpContext& context, const HttpCall&) {
  return from_subnet_administration(context, &http_data::multicast);
}

HttpAnswer services(HttpContext& context, const HttpCall&) {
  return from_subnet_administration(context, &http_data::services);
}

HttpAnswer subscriptions(HttpContext& context, const HttpCall&) {
  return from_subnet_administration(context, &http_data::subscriptions);
}

}  // namespace weft::http
