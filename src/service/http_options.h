// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of the HTTP service: listen address, authentication, encryption and page; and the check
// of the options of replication.
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
  bool loopback = false;  // reachable only from this machine
  std::uint16_t port = 0;
};

/// Parses "127.0.0.1:9115", "[::1]:9115" or "localhost:9115". Fails with kBadInput, also for other
/// host names.
Result<HttpAddress> parse_http_address(std::string_view text);

/// Credentials. They may be replaced while the service runs.
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

/// Reads the files of tokens, roles and certificates. Fails as HttpAccess::read() and
/// HttpTls::read(), or with kUsage if only some of the keys for a certificate are set.
Result<HttpSecrets> http_secrets(const Settings& settings);

/// The options from the keys http and http_*; empty if the service is off. Fails with kUsage if the
/// address is invalid, or reachable from other machines without tokens or client certificates.
/// Fails as http_secrets() and PageFiles::read(). A missing page is an error only if
/// http_page_folder is set.
Result<std::optional<HttpOptions>> http_options(const Settings& settings);

/// Checks the requirements of replication: an HTTP service with tokens or client certificates,
/// HTTPS if other machines can reach the service, and credentials for the peers. Fails with kUsage.
Status check_replication(const Settings& settings, const std::optional<HttpOptions>& http);

}  // namespace weft
