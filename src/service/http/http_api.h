// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP service without sockets: finds the endpoint of a request, checks host name and token,
// and runs the handler of the endpoint. The handlers read published state from the board and post
// requests there.
#pragma once

#include <memory>
#include <optional>

#include "service/http/http_call.h"
#include "service/http/http_endpoints.h"

namespace weft {

class HttpApi {
 public:
  /// `board` must outlive this object.
  HttpApi(HttpOptions options, SmBoard& board, std::shared_ptr<const EventRing> events);

  /// Thread-safe.
  HttpAnswer answer(const HttpRequest& request);
  /// The same, but only if the answer takes microseconds, such as a cached one; otherwise empty.
  std::optional<HttpAnswer> quick_answer(const HttpRequest& request);
  /// Whether this is a health check or a file of the page: answered when nothing else is.
  bool is_vital(const HttpRequest& request) const;

 private:
  bool is_allowed(const http::HttpEndpoint& endpoint, const HttpRequest& request) const;
  HttpAnswer refuse(const HttpRequest& request) const;
  HttpAnswer page(const HttpRequest& request) const;
  /// Fails with the error answer.
  tl::expected<const http::HttpEndpoint*, HttpAnswer> endpoint_of(const HttpRequest& request) const;
  http::HttpCall call_of(const http::HttpEndpoint& endpoint, const HttpRequest& request) const;

  http::HttpContext context_;
};

}  // namespace weft
