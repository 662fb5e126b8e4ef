// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP service without sockets: finds the endpoint of a request, checks the host name and the
// role of the client (by token or certificate), and runs the handler of the endpoint. The handlers
// read published state from the board and add requests to the board.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "service/http/audit_log.h"
#include "service/http/http_access.h"
#include "service/http/http_call.h"
#include "service/http/http_endpoints.h"
#include "service/http/server/http_limits.h"

namespace weft {

/// Whether `path` is that of a health check or of metrics.
bool is_health_path(const std::string& path);

/// The priority of a request for this path. `is_page`: the path is a file of the page.
HttpPriority priority_of_path(const std::string& path, bool is_page);

/// Rejects DNS rebinding: a loopback listener accepts only Host headers that name this machine, and
/// requests without a Host header.
/// Returns the error answer for other hosts; empty if the request is accepted.
std::optional<HttpAnswer> refuse_host(bool loopback, const HttpRequest& request);

class HttpApi {
 public:
  /// `board` must outlive this object. Without `audit`, nothing is recorded.
  HttpApi(HttpOptions options, SmBoard& board, std::shared_ptr<const EventRing> events,
          std::shared_ptr<AuditLog> audit = nullptr);

  /// Replaces the tokens and the roles of client certificates. Thread-safe.
  void set_access(HttpAccess access);

  /// The answer to a request. Thread-safe.
  HttpAnswer answer(const HttpRequest& request);
  /// Like answer() if the answer takes only microseconds, such as a cached answer or an error;
  /// otherwise empty.
  std::optional<HttpAnswer> quick_answer(const HttpRequest& request);

 private:
  std::shared_ptr<const HttpAccess> access() const;
  bool is_allowed(const http::HttpEndpoint& endpoint, const HttpIdentity& client) const;
  HttpAnswer refuse(const http::HttpEndpoint& endpoint, const HttpRequest& request,
                    const HttpIdentity& client) const;
  /// Returns the answer to a change and records it in the audit log, after HttpAnswer::later if it
  /// is set.
  HttpAnswer recorded(HttpAnswer answer, const HttpRequest& request) const;
  HttpAnswer page(const HttpRequest& request) const;
  /// The endpoint of a request. Fails with the error answer.
  tl::expected<const http::HttpEndpoint*, HttpAnswer> endpoint_of(const HttpRequest& request) const;
  http::HttpCall call_of(const http::HttpEndpoint& endpoint, const HttpRequest& request) const;

  http::HttpContext context_;
  const std::shared_ptr<AuditLog> audit_;
  mutable std::mutex access_mutex_;
  std::shared_ptr<const HttpAccess> access_;
};

}  // namespace weft
