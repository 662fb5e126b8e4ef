// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: cables of an emulated fabric.
#include <utility>

#include "service/http/data/cables.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

/// Disconnects or reconnects a cable. The thread of the manager executes the order between two
/// steps.
HttpAnswer carry_out_cable(HttpContext& context, CableOrder::Action action, const HttpCall& call) {
  auto order = http_data::cable_order(action, Json::parse(call.request.body, nullptr, false));
  if (!order) return error_answer(400, order.error().message);
  HttpAnswer answer;
  answer.later = [&context, order = std::move(*order)] {
    const auto outcome = context.board.cables_handler.call(order);
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return refused(outcome->error());
    return json_answer(http_data::cable_outcome(order.action, **outcome));
  };
  return answer;
}

}  // namespace

HttpAnswer cut_cables(HttpContext& context, const HttpCall&) {
  HttpAnswer answer;
  answer.later = [&context] {
    const auto outcome = context.board.cables_handler.call(CableOrder{});
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return refused(outcome->error());
    return json_answer(http_data::cut_cables(**outcome));
  };
  return answer;
}

HttpAnswer cut_cable(HttpContext& context, const HttpCall& call) {
  return carry_out_cable(context, CableOrder::Action::kCut, call);
}

HttpAnswer reconnect_cable(HttpContext& context, const HttpCall& call) {
  return carry_out_cable(context, CableOrder::Action::kReconnect, call);
}

}  // namespace weft::http
