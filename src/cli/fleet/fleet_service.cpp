// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/fleet/fleet_service.h"

#include <string_view>

#include "base/text.h"
#include "cli/fleet/fleet_documents.h"
#include "cli/fleet_page_files.h"
#include "service/http/http_api.h"
#include "service/http/http_call.h"

namespace weft::cli {
namespace {

using http::error_answer;
using http::json_answer;
using http::text_answer;

constexpr std::size_t kFleetEventsMax = 10'000;
constexpr std::size_t kFleetFoundMax = 100;  // nodes of each manager
constexpr std::size_t kFleetQueryMax = 256;

/// Returns a file of the page, which contains no data of managers; nothing for another path.
std::optional<HttpAnswer> page_file(const std::string& path) {
  const auto file = [](std::string_view text, const char* type) {
    HttpAnswer answer = text_answer(200, std::string(text), type);
    answer.headers = {{"Content-Security-Policy",
                       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
                       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-cache"}};
    return answer;
  };
  if (path == "/") return file(fleet_page_files::kIndex_html, "text/html; charset=utf-8");
  if (path == "/fleet.js")
    return file(fleet_page_files::kFleet_js, "text/javascript; charset=utf-8");
  if (path == "/fleet.css") return file(fleet_page_files::kFleet_css, "text/css; charset=utf-8");
  return std::nullopt;
}

}  // namespace

HttpAnswer FleetService::answer(const HttpRequest& request) {
  if (auto refused = refuse_host(options_.address.loopback, request)) return std::move(*refused);
  if (request.method != "GET") {
    HttpAnswer answer = error_answer(405, "expected GET");
    answer.headers.emplace_back("Allow", "GET");
    return answer;
  }
  if (request.path == "/healthz") return text_answer(200, "ok\n");
  if (auto file = page_file(request.path)) return std::move(*file);
  const HttpIdentity client = options_.secrets.access.identify(request);
  if (!options_.address.loopback && client.role < Role::kRead) {
    HttpAnswer answer = error_answer(401, "expected Authorization: Bearer TOKEN");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    answer.penalty = client.rejected;
    return answer;
  }
  return answer_authorized(request);
}

HttpAnswer FleetService::answer_authorized(const HttpRequest& request) {
  if (request.path == "/api/v1/fleet")
    return json_answer(fleet_status(fleet_.members(), std::chrono::steady_clock::now()));
  if (request.path == "/api/v1/fleet/alarms") return json_answer(fleet_alarms(fleet_.members()));
  if (request.path == "/api/v1/fleet/events") {
    const std::string* const text = request.find("limit");
    const auto limit =
        text == nullptr ? std::optional<std::size_t>(1000) : parse_number<std::size_t>(*text);
    if (!limit || *limit > kFleetEventsMax)
      return error_answer(400, fmt::format("limit: found {}, expected a number from 0 to {}",
                                           weft::quoted(*text), kFleetEventsMax));
    return json_answer(fleet_events(fleet_.members(), *limit));
  }
  if (request.path == "/api/v1/fleet/search") return search(request);
  return error_answer(404, "unknown path " + weft::quoted(request.path));
}

HttpAnswer FleetService::search(const HttpRequest& request) {
  const std::string* const text = request.find("q");
  const std::size_t size = text == nullptr ? 0 : text->size();
  if (size == 0 || size > kFleetQueryMax)
    return error_answer(
        400, fmt::format("q: found {} bytes, expected 1 to {} bytes", size, kFleetQueryMax));
  const std::unique_lock lock(search_mutex_, std::try_to_lock);
  if (!lock) {
    HttpAnswer answer = error_answer(503, "another search is in progress");
    answer.headers.emplace_back("Retry-After", "1");
    return answer;
  }
  return json_answer(fleet_found(fleet_.search(*text, kFleetFoundMax)));
}

}  // namespace weft::cli
