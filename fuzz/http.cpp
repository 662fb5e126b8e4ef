// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any bytes on a connection of the HTTP service, on a small routed fabric: each request ends, gets
// one response with a valid HTTP status, nothing changes without the token, JSON is valid, and a
// response from quick_answer() equals that of answer().
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

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
    options.token = "a token that no input holds 0f6d1c";
    api = std::make_unique<weft::HttpApi>(options, board, ring);
  }
  weft::SmBoard board;
  std::shared_ptr<weft::EventRing> ring;
  std::unique_ptr<weft::HttpApi> api;
};

void check(const weft::HttpReply& reply) {
  const std::string_view bytes = reply.bytes;
  if (!bytes.starts_with("HTTP/1.1 ") || bytes.find("\r\n\r\n") == std::string_view::npos)
    std::abort();
  const std::string_view status = bytes.substr(9, 3);
  if (status < "200" || status > "505" || status == "500") std::abort();
  const std::string_view body = bytes.substr(bytes.find("\r\n\r\n") + 4);
  if (bytes.find("Content-Type: application/json") != std::string_view::npos && !body.empty() &&
      !nlohmann::json::accept(body))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Service service;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (true) {
    const weft::HttpFrame frame = weft::find_request(rest);
    if (frame.kind != weft::HttpFrame::Kind::kWhole) break;
    if (frame.head + frame.body > rest.size() || frame.head == 0) std::abort();
    weft::HttpReply reply = weft::reply_to(
        rest.substr(0, frame.head), rest.substr(frame.head, frame.body),
        [](const weft::HttpRequest& request) {
          const auto quick = service.api->quick_answer(request);
          weft::HttpAnswer answer = service.api->answer(request);
          if (quick && (quick->status != answer.status || !quick->body != !answer.body ||
                        (quick->body && *quick->body != *answer.body)))
            std::abort();  // the same, or nothing
          return answer;
        });
    check(reply);
    if (reply.stream) (void)reply.stream->next();
    rest.remove_prefix(frame.head + frame.body);
  }
  if (!service.board.take_requests().empty()) std::abort();
  return 0;
}
