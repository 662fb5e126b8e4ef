// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// docs/reference/configuration.md has the tables that follow from the schema of the configuration.
// With UPDATE_GOLDEN=1 the test writes them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "service/config/key.h"

namespace weft {
namespace {

constexpr const char* kPage = WEFT_SOURCE_DIR "/docs/reference/configuration.md";

std::string effect(const Key& key) {
  if (const auto* unused = std::get_if<Unsupported>(&key.value))
    return fmt::format("no effect: {}", unused->why);
  return key.applies == Applies::kLive ? "yes, live" : "yes, at the next start";
}

std::string accepts(const Key& key) {
  std::string text = accepted_values(key);
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  return key.unit.empty() ? text : fmt::format("{}, in {}", text, key.unit);
}

std::string default_text(const Key& key) {
  const std::string value = value_text(default_settings(), key);
  return value == "(null)" ? "" : fmt::format("`{}`", value);
}

std::string tables() {
  std::string text;
  for (const Section& section : sections()) {
    text += fmt::format(
        "{}## {}\n\n| key | default | effect | accepts | meaning |\n|---|---|---|---|---|\n",
        text.empty() ? "" : "\n", section.title);
    for (const Key& key : section.keys)
      text +=
          fmt::format("| `{}` | {} | {} | {} | {}{}{} |\n", key.name, default_text(key),
                      effect(key), accepts(key), key.about, key.more.empty() ? "" : " ", key.more);
  }
  return text;
}

TEST(ConfigurationPage, HasTheTablesOfTheSchema) {
  const std::string page = read_file(kPage).value();
  const std::size_t begin = page.find("\n## ") + 1;
  ASSERT_NE(begin, 0u);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(kPage, page.substr(0, begin) + tables()));
  } else {
    EXPECT_EQ(page.substr(begin), tables()) << "UPDATE_GOLDEN=1 renews " << kPage;
  }
}

TEST(ConfigurationPage, CellsContainNoBorder) {
  for (const Section& section : sections())
    for (const Key& key : section.keys)
      for (const std::string& cell :
           {std::string(key.about), std::string(key.more), effect(key), accepts(key)})
        EXPECT_EQ(cell.find_first_of("|\n"), std::string::npos) << key.name;
}

}  // namespace
}  // namespace weft
