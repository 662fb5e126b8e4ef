// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: partitions and their changes.
#include <utility>

#include "base/text.h"
#include "service/http/data/partition_orders.h"
#include "service/http/data/partitions.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

/// Executes a change of partitions. Uses HttpAnswer::later, because the change may block until the
/// end of a sweep.
HttpAnswer carry_out(HttpContext& context, PartitionOrder order, int done) {
  HttpAnswer answer;
  answer.later = [&context, order = std::move(order), done] {
    const auto outcome = context.board.partitions_handler.call(order);
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return refused(outcome->error());
    const Json json = http_data::outcome(order.change.base, **outcome);
    return json_answer(json, (*outcome)->applied ? done : 202);
  };
  return answer;
}

}  // namespace

HttpAnswer partitions(HttpContext& context, const HttpCall& call) {
  return from_snapshot(context, call,
                       [](const Snapshot& snapshot) { return http_data::partitions(snapshot); });
}

HttpAnswer partition(HttpContext&, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  const auto base = http_data::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  const auto json = http_data::partition(*call.posted.snapshot, *base);
  return json ? json_answer(*json) : error_answer(404, json.error().message);
}

HttpAnswer create_partition(HttpContext& context, const HttpCall& call) {
  auto order = http_data::new_partition(Json::parse(call.request.body, nullptr, false));
  if (!order) return error_answer(400, order.error().message);
  return carry_out(context, std::move(*order), 201);
}

HttpAnswer change_partition(HttpContext& context, const HttpCall& call) {
  const auto base = http_data::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  auto order = http_data::member_change(*base, Json::parse(call.request.body, nullptr, false));
  if (!order) return error_answer(400, order.error().message);
  return carry_out(context, std::move(*order), 200);
}

HttpAnswer delete_partition(HttpContext& context, const HttpCall& call) {
  const auto base = http_data::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  if (!trim(call.request.body).empty()) return error_answer(400, "expected an empty body");
  PartitionOrder order;
  order.change.kind = PartitionChange::Kind::kDelete;
  order.change.base = *base;
  return carry_out(context, std::move(order), 200);
}

}  // namespace weft::http
