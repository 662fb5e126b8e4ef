// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/token.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kTokenMin = 16;  // 64 bits in hexadecimal
constexpr std::size_t kTokenMax = 256;
constexpr std::size_t kTokenFileMax = 4096;
constexpr unsigned kAccessByOthers = 077;
constexpr std::array<std::string_view, 4> kRoleNames = {"none", "read", "operate", "administer"};

/// Parses a line "ROLE TOKEN"; empty if the line has no role or no token.
std::optional<RoleToken> role_line(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const auto role = role_of(line.substr(0, end));
  if (!role || end == line.size()) return std::nullopt;
  return RoleToken{*role, Secret(trim(line.substr(end)))};
}

Status check_token(const std::string& path, std::size_t line, std::string_view token) {
  if (token.size() < kTokenMin || token.size() > kTokenMax)
    return fail(Code::kBadInput, "{}:{}: found a token of {} characters, expected {} to {}", path,
                line, token.size(), kTokenMin, kTokenMax);
  return {};
}

Status add_token(const std::string& path, std::size_t line, RoleToken added,
                 std::vector<RoleToken>& tokens) {
  if (const Status good = check_token(path, line, added.token.view()); !good) return good;
  for (const RoleToken& other : tokens) {
    if (other.role == added.role)
      return fail(Code::kBadInput, "{}:{}: second token of role {}: expected one", path, line,
                  name(added.role));
    if (other.token == added.token)
      return fail(Code::kBadInput,
                  "{}:{}: the token of role {} equals the token of role {}: "
                  "expected different tokens",
                  path, line, name(added.role), name(other.role));
  }
  tokens.push_back(std::move(added));
  return {};
}

}  // namespace

std::string_view name(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

std::optional<Role> role_of(std::string_view name) {
  const auto* const found = std::ranges::find(kRoleNames, name);
  if (found == kRoleNames.end() || found == kRoleNames.begin()) return std::nullopt;
  return static_cast<Role>(found - kRoleNames.begin());
}

Status check_private_file(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return fail(Code::kEnvironment, "{}: {}", path, std::strerror(errno));
  if ((about.st_mode & kAccessByOthers) != 0)
    return fail(Code::kUsage,
                "{}: users other than its owner have access: found mode {:04o}, expected 0600",
                path, about.st_mode & 07777u);
  return {};
}

Result<std::vector<RoleToken>> read_tokens(const std::string& path) {
  if (const Status is_private = check_private_file(path); !is_private) return forward(is_private);
  auto file = read_file(path, kTokenFileMax);
  if (!file) return forward(file);
  const Secret content(std::move(*file));
  std::vector<RoleToken> tokens;
  std::size_t number = 0;
  for (const std::string_view full : split(content.view(), '\n')) {
    const std::string_view line = trim(full);
    ++number;
    if (line.starts_with('#') || (line.empty() && number > 1)) continue;
    auto entry = role_line(line);
    if (!entry && number == 1) entry = RoleToken{Role::kAdminister, Secret(line)};
    if (!entry)
      return fail(Code::kBadInput,
                  "{}:{}: expected ROLE TOKEN, with role read, operate or "
                  "administer",
                  path, number);
    if (const Status added = add_token(path, number, std::move(*entry), tokens); !added)
      return forward(added);
  }
  if (tokens.empty()) return fail(Code::kBadInput, "{}: found no token", path);
  return tokens;
}

Result<Secret> read_administer_token(const std::string& path) {
  auto tokens = read_tokens(path);
  if (!tokens) return forward(tokens);
  const auto found = std::ranges::find(*tokens, Role::kAdminister, &RoleToken::role);
  if (found == tokens->end())
    return fail(Code::kBadInput, "{}: found no token of role administer", path);
  return found->token;
}

Result<std::string> read_client_token(const std::string& path) {
  auto tokens = read_tokens(path);
  if (!tokens) return forward(tokens);
  return std::string(std::ranges::max(*tokens, {}, &RoleToken::role).token.view());
}

}  // namespace weft
