// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every assumption about vendor devices has a row: each constant, function and comment of the
// *_unconfirmed.h files. Every row names code that exists, and the rows equal the table of the
// documentation page. UPDATE_GOLDEN=1 writes the table of the page.
#include "ib/vendor/assumptions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/file.h"

namespace weft {
namespace {

constexpr const char* kAssumptionsPage = WEFT_SOURCE_DIR "/docs/reference/assumptions.md";
constexpr const char* kSources = WEFT_SOURCE_DIR "/src/";

std::vector<std::string> names_of(const Assumption& row) {
  std::vector<std::string> names;
  std::istringstream text{std::string(row.code)};
  for (std::string name; std::getline(text, name, '|');) names.push_back(name);
  return names;
}

/// The declarations and comments of an *_unconfirmed.h file.
struct Stated {
  std::set<std::string> declared;       // constants, functions and types
  std::vector<std::string> paragraphs;  // comments without a declaration, each as one line
};

/// The name that a line declares in the namespace; empty: none.
std::string declared_name(std::string_view line) {
  for (const std::string_view start : {"inline constexpr ", "constexpr ", "struct "}) {
    if (!line.starts_with(start)) continue;
    line.remove_prefix(start.size());
    if (start != "struct ") line.remove_prefix(line.find(' ') + 1);
    return std::string(line.substr(0, line.find_first_of(" ({=;")));
  }
  return {};
}

/// The statements of the lines after the beginning of the namespace.
Stated read_stated(const std::string& text) {
  Stated stated;
  std::istringstream lines(text.substr(text.find("\nnamespace ") + 1));
  std::string paragraph;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// ")) {
      paragraph += (paragraph.empty() ? "" : " ") + line.substr(3);
      continue;
    }
    if (!paragraph.empty()) stated.paragraphs.push_back(std::exchange(paragraph, ""));
    if (const std::string name = declared_name(line); !name.empty()) stated.declared.insert(name);
  }
  return stated;
}

/// The statements of all *_unconfirmed.h files, by path relative to src/.
std::map<std::string, Stated> unconfirmed_files() {
  std::map<std::string, Stated> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSources)) {
    const std::string path = entry.path().string();
    if (path.ends_with("_unconfirmed.h"))
      files[path.substr(std::string_view(kSources).size())] = read_stated(read_file(path).value());
  }
  return files;
}

/// The text without line ends, comment marks and indentation, so that a phrase may continue on the
/// next line.
std::string as_one_line(const std::string& text) {
  std::string joined;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" /");
    if (start != std::string::npos) joined += (joined.empty() ? "" : " ") + line.substr(start);
  }
  return joined;
}

std::string assumptions_table() {
  std::string text =
      "| attribute | field or behavior | assumption | used for | sign of a wrong assumption | "
      "file |\n|---|---|---|---|---|---|\n";
  for (const Assumption& row : assumptions())
    text += fmt::format("| {} | {} | {} | {} | {} | `src/{}` |\n", row.attribute, row.subject,
                        row.assumed, row.used_for, row.sign, row.file);
  return text;
}

TEST(Assumptions, EveryStatementOfUnconfirmedFilesHasARow) {
  const auto files = unconfirmed_files();
  EXPECT_GE(files.size(), 9u);
  for (const auto& [file, stated] : files) {
    std::vector<std::string> named;
    for (const Assumption& row : assumptions())
      if (row.file == file)
        for (const std::string& name : names_of(row)) named.push_back(name);
    for (const std::string& name : stated.declared)
      EXPECT_NE(std::ranges::find(named, name), named.end())
          << "src/" << file << ": " << name << ": no row of assumptions.cpp names it";
    for (const std::string& paragraph : stated.paragraphs)
      EXPECT_TRUE(std::ranges::any_of(
          named,
          [&](const std::string& name) { return paragraph.find(name) != std::string::npos; }))
          << "src/" << file << ": no row of assumptions.cpp quotes the comment: " << paragraph;
  }
}

TEST(Assumptions, EveryRowNamesCodeOfItsFile) {
  for (const Assumption& row : assumptions()) {
    const auto text = read_file(kSources + std::string(row.file));
    ASSERT_TRUE(text) << row.file;
    const std::string line = as_one_line(*text);
    EXPECT_FALSE(row.code.empty()) << row.attribute << ", " << row.subject;
    for (const std::string& name : names_of(row))
      EXPECT_NE(line.find(name), std::string::npos)
          << row.attribute << ", " << row.subject << ": src/" << row.file << " has no " << name;
  }
}

TEST(Assumptions, RowsAreCompleteAndUnique) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Assumption& row : assumptions()) {
    EXPECT_TRUE(seen.insert({row.attribute, row.subject}).second)
        << row.attribute << ", " << row.subject << ": two rows";
    for (const std::string_view cell :
         {row.attribute, row.subject, row.assumed, row.used_for, row.sign}) {
      EXPECT_FALSE(cell.empty()) << row.attribute << ", " << row.subject;
      EXPECT_EQ(cell.find_first_of("|\n"), std::string_view::npos) << cell;
    }
  }
}

TEST(Assumptions, EqualTheTableInTheDocumentation) {
  const std::string page = read_file(kAssumptionsPage).value();
  const std::size_t begin = page.find("| attribute |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = std::min(page.find("\n\n", begin), page.size() - 1) + 1;
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    ASSERT_TRUE(write_file(kAssumptionsPage,
                           page.substr(0, begin) + assumptions_table() + page.substr(end)));
  else
    EXPECT_EQ(page.substr(begin, end - begin), assumptions_table())
        << "UPDATE_GOLDEN=1 writes the table to " << kAssumptionsPage;
}

}  // namespace
}  // namespace weft
