// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the HTTP service: tokens and client certificates with their roles.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/config/settings.h"
#include "service/http/http_message.h"
#include "service/http/token.h"

namespace weft {

struct HttpIdentity {
  Role role = Role::kNone;
  std::string name;       // for the audit log: "token operate", "certificate alice"; or empty
  bool rejected = false;  // a wrong token, or a certificate without a role
};

class HttpAccess {
 public:
  HttpAccess() = default;
  explicit HttpAccess(std::vector<RoleToken> tokens) : tokens_(std::move(tokens)) {}

  /// Reads the files that http_token_file and http_client_roles_file name. Fails as read_tokens()
  /// does, and with kBadInput naming the line of the roles.
  static Result<HttpAccess> read(const Settings& settings);

  /// A token is used if there is one, otherwise the certificate.
  HttpIdentity identify(const HttpRequest& request) const;
  /// Whether any client can have a role.
  bool has_clients() const { return !tokens_.empty() || !certificates_.empty(); }

 private:
  std::vector<RoleToken> tokens_;
  std::map<std::string, Role, std::less<>> certificates_;  // by common name
};

}  // namespace weft
