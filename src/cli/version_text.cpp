// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/version_text.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/commit.h"
#include "cli/version.h"

namespace weft::cli {

std::string version_text(std::string_view program) {
  const std::string_view commit = kCommit, sanitizers = kSanitizers;
  std::string text = fmt::format("{} {}\n", program, kVersion);
  if (!commit.empty()) text += fmt::format("commit {}\n", commit);
  text += fmt::format("built with {}, {}", kCompiler, kBuildType);
  if (!sanitizers.empty()) text += fmt::format(", sanitizers {}", sanitizers);
  return text;
}

}  // namespace weft::cli
