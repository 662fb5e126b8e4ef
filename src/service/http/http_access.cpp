// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_access.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace weft {
namespace {

/// Reads lines "ROLE COMMON NAME"; a line that begins with "#" is a comment. Fails with kBadInput;
/// the message contains the line number.
Status read_certificate_roles(const std::string& path,
                              std::map<std::string, Role, std::less<>>& roles) {
  return for_each_line(path, [&](const LineReader& at, std::string_view full) -> Status {
    const std::string_view line = trim(full);
    if (line.empty() || line.starts_with('#')) return {};
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const auto role = role_of(line.substr(0, end));
    const std::string_view common_name = trim(line.substr(end));
    if (!role || common_name.empty())
      return fail(Code::kBadInput,
                  "{}:{}: found {}, expected ROLE COMMON-NAME, with role read, operate or "
                  "administer",
                  path, at.line_number(), weft::quoted(line));
    if (!roles.emplace(std::string(common_name), *role).second)
      return fail(Code::kBadInput, "{}:{}: second role of {}: expected one", path, at.line_number(),
                  weft::quoted(common_name));
    return {};
  });
}

}  // namespace

Result<HttpAccess> HttpAccess::read(const Settings& settings) {
  HttpAccess access;
  if (!settings.http_token_file.empty()) {
    auto tokens = read_tokens(settings.http_token_file);
    if (!tokens) return forward(tokens);
    access.tokens_ = std::move(*tokens);
  }
  if (!settings.http_client_roles_file.empty()) {
    const Status good =
        read_certificate_roles(settings.http_client_roles_file, access.certificates_);
    if (!good) return forward(good);
  }
  return access;
}

HttpIdentity HttpAccess::identify(const HttpRequest& request) const {
  HttpIdentity identity;
  if (!request.token.empty()) {
    // Compare all tokens, so that the time does not depend on the token of the request.
    for (const RoleToken& known : tokens_)
      if (known.token == request.token) identity.role = known.role;
    identity.rejected = identity.role == Role::kNone;
    identity.name =
        identity.rejected ? "wrong token" : fmt::format("token {}", name(identity.role));
    return identity;
  }
  if (request.certificate.empty()) return identity;
  identity.name = "certificate " + request.certificate;
  const auto found = certificates_.find(request.certificate);
  identity.rejected = !request.has_valid_certificate || found == certificates_.end();
  if (!identity.rejected) identity.role = found->second;
  return identity;
}

}  // namespace weft
