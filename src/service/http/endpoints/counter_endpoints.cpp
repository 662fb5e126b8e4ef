// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: counters of ports.
#include <utility>

#include "base/text.h"
#include "service/http/data/counters.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer errors(HttpContext& context, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  return json_answer(http_data::errors(call.posted.snapshot->fabric, context.counters()));
}

HttpAnswer node_counters(HttpContext& context, const HttpCall& call) {
  const auto guid = parse_number<std::uint64_t>(call.rest, 16);
  if (!guid) return not_a_guid(call.rest);
  return json_answer(http_data::counters(Guid(*guid), context.counters()));
}

HttpAnswer all_counters(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return json_answer(http_data::all_counters(context.counters(), *page));
}

}  // namespace weft::http
