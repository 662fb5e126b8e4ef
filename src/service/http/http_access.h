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
  std::string name;       // for the audit log, such as "certificate alice"; or empty
  bool rejected = false;  // a wrong token, or a certificate that is invalid or has no role
};

class HttpAccess {
 public:
  HttpAccess() = default;
  explicit HttpAccess(std::vector<RoleToken> tokens) : tokens_(std::move(tokens)) {}

  /// Reads the files http_token_file and http_client_roles_file. Fails as read_tokens(), with
  /// kEnvironment if the file of roles cannot be read, or with kBadInput if a line of the roles is
  /// invalid; the message contains the line number.
  static Result<HttpAccess> read(const Settings& settings);

  /// The client of a request, by its token, or by its certificate if the request has no token.
  HttpIdentity identify(const HttpRequest& request) const;
  /// Whether any client can have a role.
  bool has_clients() const { return !tokens_.empty() || !certificates_.empty(); }

 private:
  std::vector<RoleToken> tokens_;
  std::map<std::string, Role, std::less<>> certificates_;  // by common name
};

}  // namespace weft
