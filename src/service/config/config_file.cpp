// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/config_file.h"

#include "base/file.h"
#include "base/text.h"
#include "service/config/key.h"

namespace weft {
namespace {

constexpr std::size_t kWidth = 100;

/// The part of the line before a '#' that is at the start of the line or after a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

void take_line(std::string_view path, std::size_t number, std::string_view whole,
               Settings& settings, ConfigDiagnostics& problems) {
  const std::string_view line = trim(without_comment(whole));
  if (line.empty()) return;
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const std::string_view value = trim(line.substr(name.size()));
  const auto place = [&](std::string_view word) {
    const std::size_t column = static_cast<std::size_t>(word.data() - whole.data()) + 1;
    return fmt::format("{}:{}:{}: ", path, number, column);
  };
  const Key* key = find_key(name);
  if (key == nullptr) {
    problems.warnings.push_back(place(name) + "unknown key " + weft::quoted(name));
    return;
  }
  if (value.empty()) {
    problems.errors.push_back(
        fmt::format("{}{}: found the end of the line, expected a value", place(name), name));
    return;
  }
  const auto done = assign(settings, *key, value);
  if (!done) {
    problems.errors.push_back(fmt::format("{}{}: {}", place(value), name, done.error().message));
  } else if (!done->empty()) {
    problems.warnings.push_back(fmt::format("{}{}: {}", place(value), name, *done));
  }
}

/// The text as a comment of the file, wrapped to kWidth columns.
std::string comment(std::string_view about) {
  std::string text = "#";
  std::size_t width = 1;
  for (const std::string_view word : split_words(about)) {
    if (width + 1 + word.size() > kWidth) {
      text += "\n#";
      width = 1;
    }
    text += ' ';
    text += word;
    width += 1 + word.size();
  }
  return text + "\n";
}

}  // namespace

Status read_config(const std::string& path, Settings& settings, ConfigDiagnostics& problems) {
  Settings read = settings;
  auto status = for_each_line(path, [&](const LineReader& at, std::string_view line) -> Status {
    take_line(at.path(), at.line_number(), line, read, problems);
    return {};
  });
  if (!status) return status;
  if (!problems.errors.empty()) {
    std::string all;
    for (const std::string& error : problems.errors) all += (all.empty() ? "" : "\n") + error;
    return fail(Code::kBadInput, "{}", all);
  }
  settings = std::move(read);
  return {};
}

std::string config_text(const Settings& settings) {
  std::string text;
  for (const Section& section : sections()) {
    if (!section.is_written) continue;
    text += fmt::format("#\n# {}\n#\n\n", section.title);
    for (const Key& key : section.keys) {
      text += comment(key.about);
      if (const auto* unused = std::get_if<Unsupported>(&key.value))
        text += comment(fmt::format("Without effect: {}", unused->why));
      const std::string value = value_text(settings, key);
      for (const std::string_view line : split(value, '\n'))
        text += fmt::format("{} {}\n", key.name, line);
      text += '\n';
    }
  }
  return text;
}

}  // namespace weft
