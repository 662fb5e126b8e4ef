// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: overview, nodes, ports, links, paths, drawing and search.
#include <fmt/format.h>

#include <mutex>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "service/alarms/alarm_book.h"
#include "service/http/data/drawing.h"
#include "service/http/data/nodes.h"
#include "service/http/data/path.h"
#include "service/http/data/status.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

constexpr std::size_t kFoundMax = 1000;

Json alarm_counts_json(const AlarmBook& alarms) {
  const AlarmBook::Counts counts = alarms.counts();
  const auto sum = [](const auto& of_rules) {
    return std::accumulate(of_rules.begin(), of_rules.end(), std::uint64_t{0});
  };
  return {{"active", sum(counts.active)}, {"acknowledged", sum(counts.acknowledged)}};
}

}  // namespace

HttpAnswer fabric(HttpContext& context, const HttpCall& call) {
  Json json = http_data::fabric(call.posted, context.options.version);
  json["alarms"] = context.board.alarms ? alarm_counts_json(*context.board.alarms) : Json();
  json["traffic"] =
      !call.posted.settings->history_file.empty() || !context.board.counter_database.get().empty();
  return json_answer(json);
}

HttpAnswer nodes(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  const std::string_view type = call.text("type");
  if (!type.empty() && type != "CA" && type != "SW" && type != "RTR")
    return error_answer(400,
                        fmt::format("type: found {}, expected CA, SW or RTR", weft::quoted(type)));
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return http_data::nodes(snapshot, type, call.text("name"), *page);
  });
}

HttpAnswer node(HttpContext& context, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  const auto guid = parse_number<std::uint64_t>(call.rest, 16);
  if (!guid) return not_a_guid(call.rest);
  const auto node = call.posted.snapshot->fabric.find_node(Guid(*guid));
  if (!node) return error_answer(404, fmt::format("no node has GUID {:#018x}", *guid));
  return from_snapshot(context, call,
                       [&](const Snapshot& snapshot) { return http_data::node(snapshot, *node); });
}

HttpAnswer ports(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return http_data::ports(snapshot, call.text("connected") == "true", *page);
  });
}

HttpAnswer links(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return from_snapshot(context, call,
                       [&](const Snapshot& snapshot) { return http_data::links(snapshot, *page); });
}

HttpAnswer path(HttpContext&, const HttpCall& call) {
  const std::string_view from = call.text("from"), to = call.text("to");
  if (from.empty() || to.empty())
    return error_answer(400, "expected from= and to=, each a GUID, a LID or a node's name");
  if (!call.posted.snapshot) return no_data_yet();
  const auto path = http_data::path(*call.posted.snapshot, from, to);
  if (path) return json_answer(*path);
  return error_answer(path.error().code == Code::kUsage ? 404 : 409, path.error().message);
}

/// Refuses concurrent requests with 503, because the drawing of a large fabric takes seconds.
HttpAnswer drawing(HttpContext& context, const HttpCall& call) {
  const std::unique_lock lock(context.drawing_mutex, std::try_to_lock);
  if (!lock) return error_answer(503, "another drawing is being computed: try again");
  return from_snapshot(context, call,
                       [](const Snapshot& snapshot) { return http_data::drawing(snapshot); });
}

HttpAnswer search(HttpContext&, const HttpCall& call) {
  auto limit = call.number("limit", 20, kFoundMax);
  if (!limit) return std::move(limit.error());
  const std::string_view wanted = trim(call.text("q"));
  if (wanted.empty())
    return error_answer(
        400, "expected q= with a part of a name, at least four digits of a GUID, or a LID");
  if (!call.posted.snapshot) return no_data_yet();
  return json_answer(http_data::search(*call.posted.snapshot, wanted, *limit));
}

}  // namespace weft::http
