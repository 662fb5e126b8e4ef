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

/// The rights of a client. Each role includes the rights of the roles before it.
enum class Role {
  kNone,
  kRead,        // read the state of the fabric
  kOperate,     // also request sweeps and change jobs, alarms, unhealthy ports and emulated links
  kAdminister,  // also change partitions, replicate, hand over the mastership, use the console
};

std::string_view name(Role role);
std::optional<Role> role_of(std::string_view name);

struct RoleToken {
  Role role = Role::kNone;
  Secret token;
};

/// The tokens of a file. A line is "ROLE TOKEN", at most one for each role. The first line may
/// omit the role, which is then kAdminister. A line that begins with "#" is a comment. Fails with
/// kEnvironment if the file cannot be read, and with kUsage if users other than the owner have
/// access. Fails with kBadInput if a line is invalid, two roles have the same token, or there is no
/// token; the text of the error contains the number of the invalid line.
Result<std::vector<RoleToken>> read_tokens(const std::string& path);

/// The token of kAdminister. Fails as read_tokens(), or with kBadInput if the file has no such
/// token.
Result<Secret> read_administer_token(const std::string& path);

/// The token of the highest role in the file. Fails as read_tokens().
Result<std::string> read_client_token(const std::string& path);

/// Checks the mode of a file. Fails with kUsage if users other than the owner have access, and with
/// kEnvironment if there is no such file.
Status check_private_file(const std::string& path);

}  // namespace weft
