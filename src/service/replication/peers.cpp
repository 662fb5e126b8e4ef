// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/peers.h"

#include <algorithm>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kPeersMax = 16;

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

/// Whether the text has the form HOST[:PORT].
bool is_host_and_port(std::string_view text) {
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos &&
      parse_number<std::uint16_t>(text.substr(colon + 1)).value_or(0) == 0)
    return false;
  const std::string_view host = text.substr(0, colon);
  return !host.empty() && host.find_first_of("/?#@ \t\"\\") == std::string_view::npos;
}

Status check_peer(std::string_view url) {
  constexpr std::string_view kPlain = "http://", kEncrypted = "https://";
  const bool encrypted = url.starts_with(kEncrypted);
  const std::string_view rest = encrypted                 ? url.substr(kEncrypted.size())
                                : url.starts_with(kPlain) ? url.substr(kPlain.size())
                                                          : std::string_view();
  if (!is_host_and_port(rest))
    return fail(Code::kBadInput, "found {}, expected a URL such as https://sm2.example:9115",
                weft::quoted(url));
  if (encrypted || is_this_machine(rest.starts_with('[') ? rest.substr(0, rest.find(']') + 1)
                                                         : rest.substr(0, rest.find(':'))))
    return {};
  return fail(Code::kBadInput,
              "found {}, expected https:// for another machine: the state has secret keys",
              weft::quoted(url));
}

}  // namespace

Result<std::vector<std::string>> parse_replication_peers(std::string_view text) {
  std::vector<std::string> peers;
  while (!trim(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view url = trim(text.substr(0, comma));
    if (const Status good = check_peer(url); !good) return forward(good);
    peers.emplace_back(url);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (peers.size() > kPeersMax)
    return fail(Code::kBadInput, "found {} URLs, expected at most {}", peers.size(), kPeersMax);
  return peers;
}

}  // namespace weft
