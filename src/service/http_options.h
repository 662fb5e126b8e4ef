// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Listen address, authentication and page of the HTTP service.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/config/settings.h"
#include "service/http/http_access.h"
#include "service/http/http_page.h"

namespace weft {

class HttpTls;

struct HttpAddress {
  sockaddr_in6 v6{};
  sockaddr_in v4{};
  bool is_v6 = false;
  bool loopback = false;  // reachable from this machine only
  std::uint16_t port = 0;
};

/// Parses "127.0.0.1:9115", "[::1]:9115" or "localhost:9115"; other host names are not accepted.
/// Fails with kBadInput "found .., expected ..".
Result<HttpAddress> parse_http_address(std::string_view text);

/// Credentials, which may be replaced while the service runs.
struct HttpSecrets {
  HttpAccess access;
  std::shared_ptr<const HttpTls> tls;  // null: not encrypted
};

struct HttpOptions {
  HttpAddress address;
  HttpSecrets secrets;
  std::string version;                      // version of the program
  std::shared_ptr<const PageFiles> page{};  // null: no page is served
};

/// Reads the files of tokens, roles and certificates. Fails like HttpAccess::read() and
/// HttpTls::read(), and with kUsage for a certificate without key or the reverse.
Result<HttpSecrets> http_secrets(const Settings& settings);

/// The options from the settings with names that begin with http; empty if the service is off.
/// Fails with kUsage for an address reachable from other machines without tokens or client
/// certificates, and like http_secrets() and PageFiles::read(). A missing page is an error only if
/// http_page_folder is set.
Result<std::optional<HttpOptions>> http_options(const Settings& settings);

/// Replication requires an HTTP service with tokens or client certificates, and HTTPS where other
/// machines can reach it. Fails with kUsage.
Status check_replication(const Settings& settings, const std::optional<HttpOptions>& http);

}  // namespace weft
