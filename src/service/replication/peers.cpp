// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/peers.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kPeersMax = 16;

/// True only for "localhost" and loopback addresses. Other names, even if they begin as an address
/// does, may resolve to another machine.
bool is_this_machine(std::string_view host) {
  constexpr std::uint32_t kLoopbackNet = 127;
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 &&
         ntohl(address.s_addr) >> 24 == kLoopbackNet;
}

/// The host of a text of the form HOST[:PORT]; nothing for other texts.
std::optional<std::string_view> host_of(std::string_view text) {
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos &&
      parse_number<std::uint16_t>(text.substr(colon + 1)).value_or(0) == 0)
    return std::nullopt;
  const std::string_view host = text.substr(0, colon);
  if (host.empty() || host.find_first_of("/?#@ \t\"\\") != std::string_view::npos)
    return std::nullopt;
  return host;
}

Status check_peer(std::string_view url) {
  constexpr std::string_view kPlain = "http://", kEncrypted = "https://";
  const bool encrypted = url.starts_with(kEncrypted);
  const std::string_view rest = encrypted                 ? url.substr(kEncrypted.size())
                                : url.starts_with(kPlain) ? url.substr(kPlain.size())
                                                          : std::string_view();
  const auto host = host_of(rest);
  if (!host)
    return fail(Code::kBadInput, "found {}, expected a URL such as https://sm2.example:9115",
                weft::quoted(url));
  if (encrypted || is_this_machine(*host)) return {};
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
