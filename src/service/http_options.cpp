// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http_options.h"

#include <arpa/inet.h>

#include "base/text.h"
#include "service/http/server/http_tls.h"

namespace weft {
namespace {

bool read_host(const std::string& host, bool brackets, HttpAddress& address) {
  constexpr std::uint32_t kLoopbackNet = 127;
  if (brackets) {
    address.is_v6 = true;
    address.v6.sin6_family = AF_INET6;
    if (::inet_pton(AF_INET6, host.c_str(), &address.v6.sin6_addr) != 1) return false;
    address.loopback = IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
    return true;
  }
  address.v4.sin_family = AF_INET;
  const std::string numbers = host == "localhost" ? "127.0.0.1" : host;
  if (::inet_pton(AF_INET, numbers.c_str(), &address.v4.sin_addr) != 1) return false;
  address.loopback = ntohl(address.v4.sin_addr.s_addr) >> 24 == kLoopbackNet;
  return true;
}

}  // namespace

Result<HttpAddress> parse_http_address(std::string_view text) {
  const auto wrong = [&] {
    return fail(Code::kBadInput,
                "found {}, expected ADDRESS:PORT, such as 127.0.0.1:9115 or [::1]:9115",
                weft::quoted(text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  HttpAddress address;
  if (!port || !read_host(std::string(host), brackets, address)) return wrong();
  address.port = *port;
  address.v4.sin_port = address.v6.sin6_port = htons(*port);
  return address;
}

Result<HttpSecrets> http_secrets(const Settings& settings) {
  HttpSecrets secrets;
  auto access = HttpAccess::read(settings);
  if (!access) return forward(access);
  secrets.access = std::move(*access);
  if (settings.http_certificate_file.empty() != settings.http_key_file.empty())
    return fail(Code::kUsage,
                "http: http_certificate_file and http_key_file: found one, expected both");
  if (settings.http_certificate_file.empty()) {
    if (settings.http_client_ca_file.empty() && settings.http_client_roles_file.empty())
      return secrets;
    return fail(Code::kUsage,
                "http: http_client_ca_file and http_client_roles_file require "
                "http_certificate_file");
  }
  if (settings.http_client_ca_file.empty() != settings.http_client_roles_file.empty())
    return fail(Code::kUsage,
                "http: http_client_ca_file and http_client_roles_file: found one, expected both");
  auto tls = HttpTls::read(
      {settings.http_certificate_file, settings.http_key_file, settings.http_client_ca_file});
  if (!tls) return forward(tls);
  secrets.tls = std::move(*tls);
  return secrets;
}

Result<std::optional<HttpOptions>> http_options(const Settings& settings) {
  if (settings.http.empty()) return std::optional<HttpOptions>();
  HttpOptions options;
  const auto address = parse_http_address(settings.http);
  if (!address) return fail(Code::kUsage, "http: {}", address.error().message);
  options.address = *address;
  auto secrets = http_secrets(settings);
  if (!secrets) return forward(secrets);
  options.secrets = std::move(*secrets);
  if (!address->loopback && !options.secrets.access.has_clients())
    return fail(Code::kUsage,
                "http: {} is reachable from other machines: set http_token_file or "
                "http_client_roles_file, or use a loopback "
                "address such as 127.0.0.1",
                settings.http);
  const std::string folder =
      settings.http_page_folder.empty() ? find_page_folder() : settings.http_page_folder;
  if (!folder.empty()) {
    auto page = PageFiles::read(folder);
    if (!page) return fail(page.error().code, "http_page_folder: {}", page.error().message);
    options.page = std::make_shared<const PageFiles>(std::move(*page));
  }
  return std::optional(std::move(options));
}

Status check_replication(const Settings& settings, const std::optional<HttpOptions>& http) {
  if (settings.replication_peers.empty()) return {};
  if (!http)
    return fail(Code::kUsage, "replication_peers: the peers copy from the HTTP service: set http");
  if (!http->secrets.access.has_clients())
    return fail(Code::kUsage,
                "replication_peers: the peers need a role: set http_token_file or "
                "http_client_roles_file");
  if (!http->address.loopback && !http->secrets.tls)
    return fail(Code::kUsage,
                "replication_peers: the state has secret keys: set http_certificate_file and "
                "http_key_file, or use a loopback address");
  if (settings.replication_certificate_file.empty() != settings.replication_key_file.empty())
    return fail(Code::kUsage,
                "replication_certificate_file and replication_key_file: found one, expected both");
  if (settings.replication_token_file.empty() && settings.replication_key_file.empty())
    return fail(Code::kUsage,
                "replication_peers: the peers have to identify this manager: set "
                "replication_token_file or replication_certificate_file");
  return {};
}

}  // namespace weft
