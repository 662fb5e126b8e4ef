// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: alarms of ports.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "service/alarms/alarm_json.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

constexpr std::size_t kCommentMax = 256;

Json receivers_json(const SmBoard& board) {
  Json list = Json::array();
  for (const auto& meter : board.alarm_receivers)
    list.push_back({{"receiver", meter->receiver},
                    {"sent", meter->sent.load()},
                    {"failed", meter->failed.load()},
                    {"lost", meter->lost.load()},
                    {"failing", meter->failing.load()}});
  return list;
}

}  // namespace

HttpAnswer alarms(HttpContext& context, const HttpCall& call) {
  if (!context.board.alarms) return no_counters();
  auto page = call.page();
  if (!page) return std::move(page.error());
  const std::string_view with_ended = call.text("ended");
  if (!with_ended.empty() && with_ended != "true" && with_ended != "false")
    return error_answer(400,
                        "ended: found " + weft::quoted(with_ended) + ", expected true or false");
  const AlarmBook::Listing listing = context.board.alarms->list();
  Json list = Json::array(), ended = Json::array();
  for (std::size_t i = page->offset; i < listing.active.size() && list.size() < page->limit; ++i)
    list.push_back(alarm_json(listing.active[i]));
  if (with_ended == "true")
    for (const Alarm& alarm : listing.ended) ended.push_back(alarm_json(alarm));
  const auto unacknowledged = std::ranges::count(listing.active, false, &Alarm::acknowledged);
  return json_answer({{"total", listing.active.size()},
                      {"offset", page->offset},
                      {"unacknowledged", unacknowledged},
                      {"not_listed", listing.not_listed},
                      {"alarms", std::move(list)},
                      {"ended", std::move(ended)},
                      {"rules", alarm_rules_json(alarm_limits(*call.posted.settings))},
                      {"receivers", receivers_json(context.board)}});
}

HttpAnswer acknowledge_alarm(HttpContext& context, const HttpCall& call) {
  if (!context.board.alarms) return no_counters();
  const Json body = Json::parse(call.request.body, nullptr, false);
  if (!body.is_object() || !body.contains("acknowledged") || !body["acknowledged"].is_boolean())
    return error_answer(400, "expected {\"acknowledged\": true or false} with an optional comment");
  for (const auto& [name, value] : body.items())
    if (name != "acknowledged" && name != "comment")
      return error_answer(400, "unknown member " + weft::quoted(name));
  std::string comment;
  if (body.contains("comment")) {
    if (!body["comment"].is_string() ||
        body["comment"].get_ref<const std::string&>().size() > kCommentMax)
      return error_answer(400,
                          fmt::format("comment: expected text of at most {} bytes", kCommentMax));
    comment = body["comment"].get<std::string>();
  }
  const auto alarm = context.board.alarms->acknowledge(
      std::string(call.rest), body["acknowledged"].get<bool>(), std::move(comment));
  if (!alarm) return error_answer(404, alarm.error().message);
  return json_answer(alarm_json(*alarm));
}

}  // namespace weft::http
