// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_call.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace weft::http {
namespace {

constexpr auto kCountersMaxAge = std::chrono::seconds(1);

}  // namespace

tl::expected<std::uint64_t, HttpAnswer> HttpCall::number(const std::string& name,
                                                         std::uint64_t otherwise,
                                                         std::uint64_t most) const {
  const std::string* found = request.find(name);
  if (found == nullptr) return otherwise;
  const auto value = parse_number<std::uint64_t>(*found);
  if (value && *value <= most) return *value;
  return tl::unexpected(
      error_answer(400, fmt::format("{}: found {}, expected a number from 0 to {}", name,
                                    weft::quoted(*found), most)));
}

tl::expected<http_data::Page, HttpAnswer> HttpCall::page() const {
  const http_data::Page page;
  auto limit = number("limit", page.limit, kPageMax);
  if (!limit) return tl::unexpected(std::move(limit.error()));
  auto offset = number("offset", 0, UINT32_MAX);
  if (!offset) return tl::unexpected(std::move(offset.error()));
  return http_data::Page{*offset, *limit};
}

std::string_view HttpCall::text(const std::string& name) const {
  const std::string* found = request.find(name);
  return found == nullptr ? std::string_view() : *found;
}

HttpContext::HttpContext(HttpOptions api_options, SmBoard& sm_board,
                         std::shared_ptr<const EventRing> ring)
    : options(std::move(api_options)),
      board(sm_board),
      events(std::move(ring)),
      jobs(*sm_board.jobs) {}

PortCountsTable HttpContext::counters() {
  const std::lock_guard lock(counters_mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (counters_at_ != std::chrono::steady_clock::time_point{} &&
      now - counters_at_ < kCountersMaxAge)
    return counters_;
  const auto table = board.counters_source.call();
  if (!table) return counters_ = nullptr;
  if (*table) counters_ = *table;  // keep the old counters on a timeout
  counters_at_ = std::chrono::steady_clock::now();
  return counters_;
}

HttpAnswer json_answer(const Json& json, int status) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::make_shared<const std::string>(http_data::text(json));
  return answer;
}

HttpAnswer error_answer(int status, const std::string& what) {
  return json_answer({{"error", what}}, status);
}

HttpAnswer text_answer(int status, std::string text, std::string type) {
  HttpAnswer answer;
  answer.status = status;
  answer.type = std::move(type);
  answer.body = std::make_shared<const std::string>(std::move(text));
  return answer;
}

HttpAnswer no_data_yet() { return error_answer(503, "no fabric data yet: no sweep has completed"); }

HttpAnswer no_counters() {
  return error_answer(409, "no counters are read: start weft sm with --perfmgr");
}

HttpAnswer not_a_guid(std::string_view found) {
  return error_answer(400, fmt::format("found {}, expected a GUID such as 0x0002c903000e0b72",
                                       weft::quoted(found)));
}

HttpAnswer refused(const Error& error) {
  switch (error.code) {
    case Code::kUsage:
      return error_answer(404, error.message);
    case Code::kTimeout:
      return error_answer(503, error.message);
    case Code::kEnvironment:
      return error_answer(500, error.message);
    default:
      return error_answer(409, error.message);
  }
}

}  // namespace weft::http
