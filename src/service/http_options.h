// Where the HTTP service listens, and what it asks for.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/http_page.h"
#include "service/settings.h"

namespace weft {

struct HttpAddress {
  sockaddr_in6 v6{};
  sockaddr_in v4{};
  bool is_v6 = false;
  bool loopback = false;  // only this machine can reach it
  std::uint16_t port = 0;
};

/// "127.0.0.1:9115", "[::1]:9115", "localhost:9115": addresses, no other names. Fails with
/// kBadInput "found .., want ..".
Result<HttpAddress> parse_http_address(std::string_view text);

struct HttpOptions {
  HttpAddress address;
  std::string token;                        // empty: nothing can be changed
  std::string version;                      // of the program
  std::shared_ptr<const PageFiles> page{};  // null: there is none
};

/// From the settings http, http_token_file and http_page_folder; nothing where it is off. Fails
/// with kUsage for an address that other machines can reach without a token, and as read_token()
/// and PageFiles::read(). A page that lies nowhere is no error unless its folder was named.
Result<std::optional<HttpOptions>> http_options(const Settings& settings);

}  // namespace weft
