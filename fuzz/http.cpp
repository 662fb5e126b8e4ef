// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any requests to the HTTP service of a small routed fabric. Each answer that is complete at
// once has a valid HTTP status other than 500, and a JSON answer has valid JSON; without the token
// no request reaches the manager; and an answer of quick_answer() equals the answer of answer(). In
// the product, libmicrohttpd finds the ends of requests and lines.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fuzz_target.h"
#include "routing/engine.h"
#include "service/http/http_api.h"
#include "small_fabric.h"

namespace {

struct Service {
  Service() : board(weft::Settings{}), ring(std::make_shared<weft::EventRing>()) {
    weft::Fabric fabric = small_fabric();
    auto routes = weft::find_engine("minhop")->run(fabric, {});
    CHECK(routes.has_value());
    weft::SmStatus status;
    status.state = weft::SmState::kMaster;
    board.post(status,
               std::make_shared<const weft::Snapshot>(weft::Snapshot{
                   std::move(fabric), std::move(*routes), {}, {}, weft::EndportId(0), 1, {}}));
    weft::HttpOptions options;
    options.address = *weft::parse_http_address("127.0.0.1:0");
    options.secrets.access =
        weft::HttpAccess({{weft::Role::kAdminister,
                           weft::Secret(std::string_view("a token that no input holds 0f6d1c"))}});
    api = std::make_unique<weft::HttpApi>(options, board, ring);
  }
  weft::SmBoard board;
  std::shared_ptr<weft::EventRing> ring;
  std::unique_ptr<weft::HttpApi> api;
};

void check(const weft::HttpAnswer& answer) {
  if (answer.later) return;
  if (answer.status < 200 || answer.status > 505 || answer.status == 500) std::abort();
  if (answer.type == "application/json" && answer.body && !answer.body->empty() &&
      !nlohmann::json::accept(*answer.body))
    std::abort();
}

/// The head up to the empty line, split as libmicrohttpd does; its parts are views of `bytes`.
weft::HttpHead head_of(std::string_view bytes) {
  weft::HttpHead head;
  head.size = bytes.size();
  std::size_t end = bytes.find("\r\n");
  const std::string_view line = bytes.substr(0, end);
  const std::size_t space = std::min(line.find(' '), line.size());
  head.method = line.substr(0, space);
  head.target = line.substr(std::min(space + 1, line.size()));
  head.target = head.target.substr(0, head.target.rfind(' '));
  while (end + 2 < bytes.size()) {
    const std::size_t begin = end + 2;
    end = std::min(bytes.find("\r\n", begin), bytes.size());
    const std::string_view field = bytes.substr(begin, end - begin);
    const std::size_t colon = field.find(':');
    if (colon != std::string_view::npos)
      head.headers.emplace_back(field.substr(0, colon), field.substr(colon + 1));
  }
  return head;
}

void answer(Service& service, const weft::HttpRequest& request) {
  const auto quick = service.api->quick_answer(request);
  const weft::HttpAnswer answer = service.api->answer(request);
  if (quick && (quick->status != answer.status || !quick->body != !answer.body ||
                (quick->body && *quick->body != *answer.body)))
    std::abort();  // the quick answer must be equal or absent
  check(answer);
  if (answer.stream) (void)answer.stream->next();
}

}  // namespace

WEFT_FUZZ_TARGET(http, data, size) {
  static Service service;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (true) {
    const std::size_t end = rest.find("\r\n\r\n");
    if (end == std::string_view::npos) break;
    auto request = weft::request_of(head_of(rest.substr(0, end)));
    rest.remove_prefix(end + 4);
    if (!request) {
      if (request.error() < 400 || request.error() > 501) std::abort();
      continue;
    }
    if (request->body_size > weft::kHttpBodyMax) std::abort();
    request->body = std::string(rest.substr(0, request->body_size));
    rest.remove_prefix(request->body.size());
    answer(service, *request);
  }
  if (!service.board.take_requests().empty()) std::abort();
  return 0;
}
