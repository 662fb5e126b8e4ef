// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/secret.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>

namespace weft {
namespace {

constexpr std::string_view kText = "correct horse battery staple";

/// The flags of the memory mapping of an address (proc(5), smaps); empty if /proc/self/smaps has no
/// flags.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool is_wanted = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> first >> dash >> end && dash == '-')
      is_wanted = first <= wanted && wanted < end;
    else if (is_wanted && line.starts_with("VmFlags:"))
      return line + " ";
  }
  return {};
}

TEST(Secret, IsWipedWhenDestroyed) {
  const char* at = nullptr;
  {
    const Secret secret(kText);
    at = secret.view().data();
    EXPECT_EQ(secret.view(), kText);
  }
  // The memory stays mapped for the next secret, so the test may read it.
  EXPECT_EQ(std::string_view(at, kText.size()), std::string(kText.size(), '\0'));
  const Secret next(std::string_view("x"));
  EXPECT_EQ(next.view().data(), at);
}

TEST(Secret, WipesTheTextFromWhichTheSecretIsCreated) {
  std::string text(kText);
  const char* at = text.data();
  const Secret secret(std::move(text));
  EXPECT_EQ(secret.view(), kText);
  EXPECT_EQ(std::string_view(at, kText.size()), std::string(kText.size(), '\0'));
}

TEST(Secret, IsMovedWithoutACopyAndCopiedToOtherMemory) {
  Secret first(kText);
  const char* at = first.view().data();
  Secret second = std::move(first);
  EXPECT_EQ(second.view().data(), at);
  const Secret copy = second;
  EXPECT_NE(copy.view().data(), at);
  EXPECT_TRUE(copy == second);
  second = Secret(std::string_view("other"));
  EXPECT_EQ(std::string_view(at, kText.size()), std::string(kText.size(), '\0'))
      << "expected zeros in the memory of the replaced secret";
  EXPECT_FALSE(copy == second);
  EXPECT_TRUE(Secret().empty());
}

TEST(Secret, DiffersFromATextWithAnyOtherCharacter) {
  const Secret secret(kText);
  EXPECT_TRUE(secret == kText);
  EXPECT_FALSE(secret == kText.substr(1));
  EXPECT_FALSE(secret == std::string_view());
  for (std::size_t i = 0; i < kText.size(); ++i) {
    std::string other(kText);
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(secret == other) << i;
  }
  EXPECT_TRUE(Secret() == std::string_view());
}

TEST(Secret, EndsWithAZeroByteForCLibraries) {
  const std::string page(4096, 'x');
  EXPECT_STREQ(Secret(std::string_view(page)).c_str(), page.c_str());
  EXPECT_STREQ(Secret().c_str(), "");
}

TEST(Secret, IsInMemoryThatCoreFilesOmit) {
  const Secret secret(kText);
  const std::string flags = flags_of(secret.view().data());
  if (flags.empty()) GTEST_SKIP() << "/proc/self/smaps has no flags";
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
}

TEST(Wipe, OverwritesATextWithZeros) {
  std::string text(kText);
  const char* at = text.data();
  wipe(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(std::string_view(at, kText.size()), std::string(kText.size(), '\0'));
}

}  // namespace
}  // namespace weft
