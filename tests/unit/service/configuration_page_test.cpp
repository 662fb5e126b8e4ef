// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// docs/reference/configuration.md has the tables that the schema of the configuration defines. With
// UPDATE_GOLDEN=1 the test writes them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "service/config/key.h"

namespace weft {
namespace {

constexpr const char* kPage = WEFT_SOURCE_DIR "/docs/reference/configuration.md";

constexpr const char* kNewerOptions = WEFT_SOURCE_DIR "/tests/unit/service/opensm_5_24_options.txt";

struct NewerOption {
  std::string name;
  std::string default_value;  // of OpenSM 5.24; "-": unknown
};

/// The options of OpenSM 5.24 that 3.3.23 lacks.
std::vector<NewerOption> newer_options() {
  std::vector<NewerOption> options;
  const std::string text = read_file(kNewerOptions).value();
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split_words(line);
    if (words.empty() || line.starts_with('#')) continue;
    options.push_back({std::string(words.at(0)), std::string(words.at(1))});
  }
  return options;
}

std::string joined(std::string_view words, std::string_view between) {
  std::string text;
  for (const std::string_view word : split(words, '|'))
    text += fmt::format("{}`{}`", text.empty() ? "" : between, word);
  return text;
}

std::string effect(const Alias& alias) {
  std::string text = fmt::format("sets `{}`", alias.key);
  if (alias.values.empty()) return text;
  std::string_view separator = ": ";
  for (const std::string_view pair : split(alias.values, '|')) {
    const std::size_t middle = pair.find('=');
    text +=
        fmt::format("{}`{}` to `{}`", separator, pair.substr(0, middle), pair.substr(middle + 1));
    separator = ", ";
  }
  return text;
}

std::string effect(const Key& key) {
  if (const auto* unused = std::get_if<Unsupported>(&key.value))
    return fmt::format("no effect: {}", unused->why);
  if (const auto* alias = std::get_if<Alias>(&key.value)) return effect(*alias);
  return key.applies == Applies::kLive ? "yes, live" : "yes, at the next start";
}

std::string accepts(const Key& key) {
  std::string text = accepted_values(key);
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  return key.unit.empty() ? text : fmt::format("{}, in {}", text, key.unit);
}

/// Whether Weft reads this key but does not write it to configuration files.
bool is_read_only(const Key& key) {
  return std::ranges::any_of(sections(), [&](const Section& section) {
    return !section.is_written &&
           std::ranges::find(section.keys, key.name, &Key::name) != section.keys.end();
  });
}

std::string default_text(const Key& key) {
  const std::string value = value_text(default_settings(), key);
  return value == "(null)" ? "" : fmt::format("`{}`", value);
}

constexpr std::string_view kNewerTitle = R"(
## Options of OpenSM 5.24

All options of NVIDIA's OpenSM 5.24 that 3.3.23 lacks. A key of Weft is in one of the tables above. An option without effect is accepted
with the values in its row, which describe what Weft does, and causes a warning with any other value. `weft sm -c` does not write these options.

| option | default in 5.24 | in Weft | without a warning | meaning |
|---|---|---|---|---|
)";

/// The row of an option of OpenSM 5.24 that has no row in another table.
std::string newer_row(const Key& key, const std::string& default_value) {
  const auto* unused = std::get_if<Unsupported>(&key.value);
  const std::string without_warning = unused == nullptr        ? accepts(key)
                                      : unused->values.empty() ? "none"
                                                               : joined(unused->values, ", ");
  const std::string in_weft =
      unused == nullptr ? effect(key) : fmt::format("without effect: {}", unused->why);
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, default_value, in_weft,
                     without_warning, key.about);
}

std::string newer_table() {
  std::string text(kNewerTitle);
  for (const NewerOption& option : newer_options()) {
    const std::string default_value =
        option.default_value == "-" ? "" : fmt::format("`{}`", option.default_value);
    const Key* key = find_key(option.name);
    if (key == nullptr)
      text += fmt::format("| `{}` | missing |\n", option.name);
    else if (is_read_only(*key) || std::holds_alternative<Unsupported>(key->value))
      text += newer_row(*key, default_value);
    else
      text += fmt::format("| `{}` | {} | a key of Weft, default {} | {} | {} |\n", key->name,
                          default_value, default_text(*key), accepts(*key), key->about);
  }
  return text;
}

std::string tables() {
  std::string text;
  for (const Section& section : sections()) {
    if (!section.is_written) continue;
    text += fmt::format(
        "{}## {}\n\n| key | default | effect | accepts | meaning |\n|---|---|---|---|---|\n",
        text.empty() ? "" : "\n", section.title);
    for (const Key& key : section.keys)
      text +=
          fmt::format("| `{}` | {} | {} | {} | {}{}{} |\n", key.name, default_text(key),
                      effect(key), accepts(key), key.about, key.more.empty() ? "" : " ", key.more);
  }
  return text + newer_table();
}

TEST(ConfigurationPage, HasTheTablesOfTheSchema) {
  const std::string page = read_file(kPage).value();
  const std::size_t begin = page.find("\n## ") + 1;
  ASSERT_NE(begin, 0u);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(kPage, page.substr(0, begin) + tables()));
  } else {
    EXPECT_EQ(page.substr(begin), tables())
        << "run the test with UPDATE_GOLDEN=1 to write the tables to " << kPage;
  }
}

TEST(ConfigurationPage, EveryOptionOfNewerOpenSmIsAKey) {
  std::set<std::string> listed;
  for (const NewerOption& option : newer_options()) {
    EXPECT_TRUE(listed.insert(option.name).second) << option.name << " is listed twice";
    EXPECT_NE(find_key(option.name), nullptr) << option.name;
  }
  EXPECT_EQ(listed.size(), 251u);
  for (const Section& section : sections())
    for (const Key& key : section.keys)
      EXPECT_TRUE(section.is_written || listed.contains(std::string(key.name)))
          << key.name << " is no option of OpenSM 5.24";
}

TEST(ConfigurationPage, AliasesNameKeysAndValidValues) {
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      const auto* alias = std::get_if<Alias>(&key.value);
      if (alias == nullptr) continue;
      const Key* other = find_key(alias->key);
      ASSERT_NE(other, nullptr) << key.name;
      EXPECT_EQ(key.secrecy, other->secrecy) << key.name;
      if (alias->values.empty()) continue;
      for (const std::string_view pair : split(alias->values, '|')) {
        Settings settings;
        const std::string_view value = pair.substr(0, pair.find('='));
        EXPECT_EQ(assign(settings, key, value).value_or("?"), "") << key.name << ' ' << pair;
        EXPECT_EQ(value_text(settings, *other), pair.substr(pair.find('=') + 1)) << key.name;
      }
    }
}

TEST(ConfigurationPage, CellsContainNoSeparators) {
  for (const Section& section : sections())
    for (const Key& key : section.keys)
      for (const std::string& cell :
           {std::string(key.about), std::string(key.more), effect(key), accepts(key)})
        EXPECT_EQ(cell.find_first_of("|\n"), std::string::npos) << key.name;
}

}  // namespace
}  // namespace weft
