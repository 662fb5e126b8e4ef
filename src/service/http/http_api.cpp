// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "service/http/ufm/ufm_paths.h"

namespace weft {
namespace {

using http::error_answer;
using http::HttpEndpoint;

/// The name in a Host header, without port.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

/// Whether a Host header is empty, "localhost" or a loopback address.
bool names_this_machine(std::string_view host) {
  const std::string_view name = host_name(host);
  if (name.empty() || name == "localhost") return true;
  const auto address = parse_http_address(std::string(name) + ":0");
  return address && address->loopback;
}

AuditRecord record_of(const HttpRequest& request, const HttpIdentity& client) {
  return {client.name, std::string(name(client.role)), request.address,
          request.method + " " + request.path, 0};
}

bool matches(const HttpEndpoint& endpoint, const std::string& path) {
  const bool open_end = endpoint.path.back() == '/';
  return open_end ? path.starts_with(endpoint.path) && path.size() > endpoint.path.size()
                  : path == endpoint.path;
}

}  // namespace

HttpPriority priority_of_path(const std::string& path, bool is_page) {
  for (const HttpEndpoint& endpoint : http::endpoints())
    if (endpoint.health && matches(endpoint, path))
      return endpoint.quick ? HttpPriority::kHealthCheck : HttpPriority::kPriority;
  return is_page ? HttpPriority::kPriority : HttpPriority::kOrdinary;
}

bool is_health_path(const std::string& path) {
  return priority_of_path(path, false) != HttpPriority::kOrdinary;
}

std::optional<HttpAnswer> refuse_host(bool loopback, const HttpRequest& request) {
  if (!loopback || names_this_machine(request.host)) return std::nullopt;
  return error_answer(
      421, "this service is reachable from this machine only: use localhost as host name");
}

HttpApi::HttpApi(HttpOptions options, SmBoard& board, std::shared_ptr<const EventRing> events,
                 std::shared_ptr<AuditLog> audit)
    : context_(std::move(options), board, std::move(events)),
      audit_(std::move(audit)),
      access_(std::make_shared<const HttpAccess>(context_.options.secrets.access)) {}

void HttpApi::set_access(HttpAccess access) {
  auto next = std::make_shared<const HttpAccess>(std::move(access));
  const std::lock_guard lock(access_mutex_);
  access_.swap(next);
}

std::shared_ptr<const HttpAccess> HttpApi::access() const {
  const std::lock_guard lock(access_mutex_);
  return access_;
}

HttpAnswer HttpApi::answer(const HttpRequest& request) {
  auto endpoint = endpoint_of(request);
  if (!endpoint) return std::move(endpoint.error());
  HttpAnswer answer = (*endpoint)->run(context_, call_of(**endpoint, request));
  const bool changes = (*endpoint)->role > Role::kRead && (*endpoint)->method != "GET";
  return changes ? recorded(std::move(answer), request) : std::move(answer);
}

HttpAnswer HttpApi::recorded(HttpAnswer answer, const HttpRequest& request) const {
  if (!audit_) return answer;
  AuditRecord record = record_of(request, access()->identify(request));
  if (!answer.later) {
    record.status = answer.status;
    audit_->record_change(record);
    return answer;
  }
  answer.later = [audit = audit_, record = std::move(record),
                  later = std::move(answer.later)]() mutable {
    HttpAnswer done = later();
    record.status = done.status;
    audit->record_change(record);
    return done;
  };
  return answer;
}

std::optional<HttpAnswer> HttpApi::quick_answer(const HttpRequest& request) {
  auto endpoint = endpoint_of(request);
  if (!endpoint) return std::move(endpoint.error());
  const http::HttpCall call = call_of(**endpoint, request);
  if ((*endpoint)->quick) return (*endpoint)->run(context_, call);
  if ((*endpoint)->method != "GET") return std::nullopt;
  HttpAnswer answer;
  answer.body = context_.texts.find(call.posted.snapshot, SnapshotTexts::key_of(request));
  if (!answer.body) return std::nullopt;
  return answer;
}

tl::expected<const HttpEndpoint*, HttpAnswer> HttpApi::endpoint_of(
    const HttpRequest& request) const {
  if (auto refused = refuse_host(context_.options.address.loopback, request))
    return tl::unexpected(std::move(*refused));
  const auto all = http::endpoints();
  auto found = all.end();
  std::string allowed;
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (!matches(*at, request.path)) continue;
    if (at->method == request.method) found = at;
    allowed += (allowed.empty() ? "" : ", ") + std::string(at->method);
  }
  if (allowed.empty()) return tl::unexpected(page(request));
  if (found == all.end()) {
    HttpAnswer answer = error_answer(405, "expected " + allowed);
    answer.headers.emplace_back("Allow", allowed);
    return tl::unexpected(std::move(answer));
  }
  const HttpIdentity client = access()->identify(request);
  if (!is_allowed(*found, client)) return tl::unexpected(refuse(*found, request, client));
  return &*found;
}

http::HttpCall HttpApi::call_of(const HttpEndpoint& endpoint, const HttpRequest& request) const {
  return {request, std::string_view(request.path).substr(endpoint.path.size()),
          context_.board.read()};
}

bool HttpApi::is_allowed(const HttpEndpoint& endpoint, const HttpIdentity& client) const {
  // Refuse a wrong password also for reads, because clients of UFM's interface check it by a read.
  if (client.rejected && is_ufm_path(endpoint.path)) return false;
  const Role least = context_.options.address.loopback ? Role::kRead : Role::kNone;
  return std::max(client.role, least) >= endpoint.role;
}

HttpAnswer HttpApi::refuse(const HttpEndpoint& endpoint, const HttpRequest& request,
                           const HttpIdentity& client) const {
  if (!client.rejected && !access()->has_clients())
    return error_answer(403, fmt::format("expected role {}: set http_token_file or "
                                         "http_client_roles_file to permit this request",
                                         name(endpoint.role)));
  HttpAnswer answer;
  if (client.role != Role::kNone) {
    answer = error_answer(
        403, fmt::format("expected role {}, found {}", name(endpoint.role), name(client.role)));
  } else {
    const char* const missing = is_ufm_path(endpoint.path)
                                    ? "expected HTTP Basic authentication with a token as password"
                                    : "expected Authorization: Bearer TOKEN";
    const char* const why = !client.rejected ? missing
                            : request.token.empty()
                                ? "the client certificate is invalid or has no role"
                                : "wrong token";
    answer = error_answer(401, why);
    answer.headers.emplace_back("WWW-Authenticate",
                                is_ufm_path(endpoint.path) ? "Basic realm=\"weft\"" : "Bearer");
    answer.penalty = client.rejected;
  }
  if (audit_ && !client.name.empty()) {
    AuditRecord record = record_of(request, client);
    record.status = answer.status;
    audit_->record_refusal(record);
  }
  return answer;
}

/// The answer for a path without endpoint. The page has no fabric data and requires no token; the
/// user enters the token in the page.
HttpAnswer HttpApi::page(const HttpRequest& request) const {
  if (context_.options.page && context_.options.page->find(request.path) != nullptr) {
    if (request.method == "GET") return context_.options.page->answer(request);
    HttpAnswer answer = error_answer(405, "expected GET");
    answer.headers.emplace_back("Allow", "GET");
    return answer;
  }
  if (request.path == "/")
    return error_answer(404, "the page is not installed; /api/v1/openapi.json lists the endpoints");
  if (is_ufm_path(request.path))
    return error_answer(404, "unknown path " + weft::quoted(request.path) +
                                 ": not a supported path of UFM's interface; "
                                 "/api/v1/openapi.json lists the paths");
  return error_answer(404, "unknown path " + weft::quoted(request.path));
}

}  // namespace weft
