// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tokens that authenticate clients of the console and the HTTP service, read from a file that only
// its owner may read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace weft {

/// The rights of a client; each role includes those of the roles before it.
enum class Role {
  kNone,
  kRead,        // read the state of the fabric
  kOperate,     // also request sweeps, disconnect emulated links
  kAdminister,  // also change partitions, use the console
};

std::string_view name(Role role);
std::optional<Role> role_of(std::string_view name);

struct RoleToken {
  Role role = Role::kNone;
  Secret token;
};

/// The tokens of a file: a first line that is the token of kAdminister, or lines "ROLE TOKEN", at
/// most one for each role; "#" begins a comment. Fails with kEnvironment if the file cannot be
/// read, with kUsage if users other than its owner have access, and with kBadInput, naming the
/// line, for a token of invalid length or one that is equal to the token of another role.
Result<std::vector<RoleToken>> read_tokens(const std::string& path);

/// The token of kAdminister. Fails as read_tokens(), and if there is none.
Result<Secret> read_token(const std::string& path);

/// The token of the highest role, for a client.
Result<std::string> read_client_token(const std::string& path);

/// Fails with kUsage if users other than the owner of the file have access.
Status check_private_file(const std::string& path);

}  // namespace weft
