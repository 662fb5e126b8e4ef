// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/server/http_exchange.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace weft {
namespace {

using Field = std::pair<std::string_view, std::string_view>;

MHD_Result take_field(void* fields, MHD_ValueKind, const char* name, std::size_t name_size,
                      const char* value, std::size_t value_size) {
  static_cast<std::vector<Field>*>(fields)->emplace_back(
      std::string_view(name, name_size),
      value == nullptr ? std::string_view() : std::string_view(value, value_size));
  return MHD_YES;
}

/// Whether all lines of the head end with CR LF. libmicrohttpd also accepts a line feed as the end
/// of a line and a NUL as the end of a value, and joins folded lines; other parsers do not.
/// libmicrohttpd parses in place, so consecutive lines must be two bytes apart.
bool has_strict_lines(const std::vector<Field>& fields, const char* head, std::size_t head_size,
                      const char* version) {
  constexpr std::size_t kLineEnd = 2;
  const char* end = version + std::strlen(version);
  for (const auto& [name, value] : fields) {
    if (name.data() != end + kLineEnd || value.data() < name.data()) return false;
    end = value.data() + value.size();
  }
  return head + head_size == end + 2 * kLineEnd;
}

}  // namespace

int socket_of(MHD_Connection* connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

gnutls_session_t session_of(MHD_Connection* connection) {
  const auto* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info == nullptr ? nullptr : static_cast<gnutls_session_t>(info->tls_session);
}

std::string address_of(MHD_Connection* connection) {
  const auto* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const sockaddr* const at = info == nullptr ? nullptr : info->client_addr;
  if (at == nullptr) return {};
  const void* const bytes =
      at->sa_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(at)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(at)->sin_addr;
  const char* const shown = ::inet_ntop(at->sa_family, bytes, text.data(), text.size());
  return shown == nullptr ? std::string() : std::string(shown);
}

tl::expected<HttpRequest, int> request_of_connection(MHD_Connection* connection,
                                                     const std::string& target,
                                                     const char* target_at, const char* method,
                                                     const char* version) {
  std::vector<Field> fields;
  (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &take_field, &fields);
  const auto* const size =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  HttpHead head{method, target, size->header_size, std::move(fields)};
  auto request = request_of(head);
  if (!request) return request;
  // The version must follow the target and a space; otherwise the target contains a NUL.
  if (version != target_at + target.size() + 1 ||
      !has_strict_lines(head.headers, method, head.size, version))
    return tl::unexpected(400);
  return request;
}

MHD_Response* response_of(const HttpAnswer& answer, MHD_ContentReaderFreeCallback free_body) {
  MHD_Response* const response =
      answer.body && !answer.body->empty()
          ? MHD_create_response_from_buffer_with_free_callback_cls(
                answer.body->size(), const_cast<char*>(answer.body->data()), free_body,
                new HttpBodies::Body(answer.body))
          : MHD_create_response_from_buffer(0, nullptr, MHD_RESPMEM_PERSISTENT);
  if (response == nullptr) return nullptr;
  bool has_cache_control = false;
  for (const auto& [name, value] : answer.headers) {
    (void)MHD_add_response_header(response, name.c_str(), value.c_str());
    has_cache_control = has_cache_control || name == "Cache-Control";
  }
  if (!has_cache_control) (void)MHD_add_response_header(response, "Cache-Control", "no-store");
  (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (answer.body) (void)MHD_add_response_header(response, "Content-Type", answer.type.c_str());
  if (answer.close) (void)MHD_add_response_header(response, "Connection", "close");
  return response;
}

void prepare_socket(int fd, const HttpLimits& limits) {
  const int yes = 1;
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  // Limit the kernel memory for a slow reader, also after the end of the connection.
  const int bytes = static_cast<int>(limits.kernel_bytes_max);
  (void)::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  const auto stuck = static_cast<unsigned>(limits.stuck_max.count());
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stuck, sizeof stuck);
}

}  // namespace weft
