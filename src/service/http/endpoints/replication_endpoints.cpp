// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: replication between managers.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/text.h"
#include "service/history/history_piece.h"
#include "service/http/data/replication.h"
#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

constexpr std::uint64_t kWaitMax = 60'000;  // milliseconds
constexpr std::size_t kEpochMax = 16;
constexpr std::chrono::milliseconds kProbeTime{
    1000};  // a standby without a message in this time counts as down
constexpr const char* kOff = "replication is off: set replication_peers";

/// The standby that precedes the others in the election; null if there is none.
const ManagerStatus* best_standby(const SmStatus& status) {
  const ManagerStatus* best = nullptr;
  const auto outranks = [](const ManagerStatus& a, const ManagerStatus& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.guid < b.guid;
  };
  for (const ManagerStatus& manager : status.managers)
    if (!manager.self && manager.state == SmState::kStandby &&
        (best == nullptr || outranks(manager, *best)))
      best = &manager;
  return best;
}

/// The reason why the standby is not in step; empty if the standby has all changes. Right after the
/// begin of a term, the number of missing changes may be 0, because the state is not posted yet.
std::string reason_not_in_step(const replication::Replication* replication, Guid standby) {
  if (replication == nullptr) return kOff;
  const replication::ReplicationStatus status = replication->status();
  for (const replication::StandbyStatus& one : status.standbys) {
    if (one.guid != standby) continue;
    if (one.in_step && one.missing == 0) return "";
    return fmt::format("the standby {} is not in step: {} changes are missing",
                       http_data::hex(standby), one.missing);
  }
  return fmt::format("the standby {} copies no state from this manager", http_data::hex(standby));
}

HttpAnswer begin_handover(SmBoard& board, Guid standby) {
  if (!board.add_request({SmRequest::Kind::kHandOver, 0, SmRequest::By::kHttp}))
    return error_answer(503, "too many pending requests");
  return json_answer({{"accepted", "handover"}, {"to", http_data::hex(standby)}}, 202);
}

/// The member `force` of the body; false if the body or the member is missing. Empty if the body is
/// invalid.
std::optional<bool> forces(const HttpCall& call) {
  if (trim(call.request.body).empty()) return false;
  const Json body = Json::parse(call.request.body, nullptr, false);
  if (!body.is_object() || body.size() > 1) return std::nullopt;
  if (body.empty()) return false;
  if (!body.contains("force") || !body["force"].is_boolean()) return std::nullopt;
  return body["force"].get<bool>();
}

}  // namespace

HttpAnswer hand_over(HttpContext& context, const HttpCall& call) {
  const auto force = forces(call);
  if (!force)
    return error_answer(400, "expected a JSON object such as {\"force\": true}, or an empty body");
  if (call.posted.status.state != SmState::kMaster)
    return error_answer(409, "only the master can hand over");
  const ManagerStatus* const standby = best_standby(call.posted.status);
  if (standby == nullptr) return error_answer(409, "no other manager is standby");
  if (standby->priority == 0)
    return error_answer(
        409,
        fmt::format(
            "the standby {} has sm_priority 0, expected at least 1: it would hand mastership back",
            http_data::hex(standby->guid)));
  if (*force) return begin_handover(context.board, standby->guid);
  const auto replication = context.board.replication.get();
  if (const std::string why = reason_not_in_step(replication.get(), standby->guid); !why.empty())
    return error_answer(409, why);
  HttpAnswer answer;
  answer.later = [replication, guid = standby->guid, &board = context.board] {
    const Status good = replication->probe(guid, kProbeTime);
    return good ? begin_handover(board, guid) : error_answer(409, good.error().message);
  };
  return answer;
}

HttpAnswer replication(HttpContext& context, const HttpCall&) {
  return json_answer(http_data::replication(context.board.replication.get().get()));
}

HttpAnswer replication_changes(HttpContext& context, const HttpCall& call) {
  const auto replication = context.board.replication.get();
  if (!replication) return error_answer(409, kOff);
  if (!context.options.address.loopback && !context.options.secrets.tls)
    return error_answer(403, "the state has secret keys: set http_certificate_file for HTTPS");
  replication::Poll poll;
  const std::string_view standby = call.text("standby");
  const auto guid = parse_c_number<std::uint64_t>(standby);
  if (!guid || *guid == 0) return not_a_guid(standby);
  poll.standby = Guid(*guid);
  poll.address = call.request.address;
  poll.epoch = call.text("epoch").substr(0, kEpochMax);
  auto after = call.number("after", 0, UINT64_MAX);
  if (!after) return std::move(after.error());
  auto wait = call.number("wait_ms", 0, kWaitMax);
  if (!wait) return std::move(wait.error());
  poll.after = *after;
  poll.wait = std::chrono::milliseconds(*wait);
  HttpAnswer answer;
  answer.deferred = [replication, poll = std::move(poll)](auto done) {
    replication->poll(poll, [done = std::move(done)](int status, std::string body) {
      done(text_answer(status, std::move(body), "application/json"));
    });
  };
  return answer;
}

HttpAnswer replication_history(HttpContext& context, const HttpCall& call) {
  if (!context.board.replication.get()) return error_answer(409, kOff);
  const std::string& path = call.posted.settings->history_file;
  if (path.empty()) return error_answer(404, "no history: start weft sm with --history FILE");
  HistoryPosition position;
  std::uint64_t end = 0;
  for (const auto& [name, value] :
       {std::pair("source", &position.source), std::pair("event", &position.event),
        std::pair("sweep", &position.sweep), std::pair("counter_end", &end),
        std::pair("counter", &position.counter)}) {
    auto number = call.number(name, 0, INT64_MAX);
    if (!number) return std::move(number.error());
    *value = *number;
  }
  position.counter_end = static_cast<std::int64_t>(end);
  const auto piece = history_after(path, position);
  if (!piece) return error_answer(503, piece.error().message);
  return text_answer(200, encode(*piece), "application/json");
}

}  // namespace weft::http
