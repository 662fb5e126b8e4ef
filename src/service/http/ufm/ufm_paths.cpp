// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/ufm/ufm_paths.h"

#include <nettle/base64.h>

#include <optional>
#include <string>

namespace weft {
namespace {

constexpr std::string_view kUfmTokenBase = "/ufmRestV3/";
constexpr std::string_view kUfmBases[] = {kUfmBase, "/ufmRestV2/", kUfmTokenBase};

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t size = bytes.size();
  base64_decode_ctx context;
  base64_decode_init(&context);
  if (base64_decode_update(&context, &size, reinterpret_cast<std::uint8_t*>(bytes.data()),
                           text.size(), text.data()) != 1 ||
      base64_decode_final(&context) != 1)
    return std::nullopt;
  bytes.resize(size);
  return bytes;
}

/// The password of base64(user:password). Returns malformed credentials unchanged, so that
/// the request is refused as with a wrong token.
std::string password_of(std::string_view credentials) {
  const auto text = from_base64(credentials);
  const std::size_t colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos || colon + 1 == text->size()) return std::string(credentials);
  return text->substr(colon + 1);
}

}  // namespace

void apply_ufm_base(HttpRequest& request, std::string_view authorization) {
  for (const std::string_view base : kUfmBases) {
    if (!request.path.starts_with(base)) continue;
    request.path = std::string(kUfmBase) + request.path.substr(base.size());
    while (request.path.size() > kUfmBase.size() && request.path.back() == '/')
      request.path.pop_back();
    if (!authorization.empty())
      request.token =
          base == kUfmTokenBase ? std::string(authorization) : password_of(authorization);
    return;
  }
}

}  // namespace weft
