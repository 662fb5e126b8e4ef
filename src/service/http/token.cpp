// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/token.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kTokenMax = 256;
constexpr std::size_t kTokenFileMax = 4096;
constexpr unsigned kAccessByOthers = 077;

}  // namespace

bool same_token(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^
                  static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  return difference == 0;
}

Result<std::string> read_token(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return fail(Code::kEnvironment, "{}: {}", path, std::strerror(errno));
  if ((about.st_mode & kAccessByOthers) != 0)
    return fail(Code::kUsage,
                "{}: users other than its owner have access: found mode {:04o}, expected 0600",
                path, about.st_mode & 07777u);
  const auto content = read_file(path, kTokenFileMax);
  if (!content) return forward(content);
  const std::string_view token = trim(std::string_view(*content).substr(0, content->find('\n')));
  if (token.empty() || token.size() > kTokenMax)
    return fail(Code::kBadInput, "{}:1: expected a token of 1 to {} characters", path, kTokenMax);
  return std::string(token);
}

}  // namespace weft
