// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/check/findings.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace weft::cli {
namespace {

constexpr std::size_t kErrorsMax = 50;
constexpr std::size_t kRereadMax = std::size_t{4} << 20;  // larger files are read once

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Offset of a line; the size of the text if the text has fewer lines.
std::size_t begin_of_line(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (std::size_t n = 1; n < line && at < text.size(); ++n)
    at = std::min(text.size(), text.find('\n', at) == std::string_view::npos
                                   ? text.size()
                                   : text.find('\n', at) + 1);
  return at;
}

/// Blanks a line and the following lines up to the line that contains `end`.
void blank(std::string& text, std::size_t line, char end) {
  bool last = end == 0;
  for (std::size_t at = begin_of_line(text, line); at < text.size(); ++at) {
    if (text[at] == end) last = true;
    if (text[at] != '\n')
      text[at] = ' ';
    else if (last)
      return;
  }
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kProblem:
      return "problem";
    case Severity::kNote:
      return "note";
  }
  return "?";
}

void Findings::add(Severity severity, std::string text, Code code) {
  if (std::ranges::find(all_, text, &Finding::text) != all_.end()) return;
  all_.push_back({severity, code, std::move(text)});
}

void Findings::add(Severity severity, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) add(severity, text);
}

std::size_t Findings::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(all_, severity, &Finding::severity));
}

Place place_of(std::string_view text) {
  const std::size_t blank = text.find(": ");
  if (blank == std::string_view::npos) return {};
  std::vector<std::string_view> parts = split(text.substr(0, blank), ':');
  std::vector<std::size_t> numbers;
  while (parts.size() > 1 && numbers.size() < 2) {
    const auto number = parse_number<std::size_t>(parts.back());
    if (!number) break;
    numbers.insert(numbers.begin(), *number);
    parts.pop_back();
  }
  if (numbers.empty()) return {};
  std::string file;
  for (const std::string_view part : parts) file += (file.empty() ? "" : ":") + std::string(part);
  return {file, numbers[0], numbers.size() > 1 ? numbers[1] : 0};
}

PathOfText::PathOfText(std::string_view text)
    : descriptor_(::memfd_create("weft-check", MFD_CLOEXEC)) {
  path_ = fmt::format("/proc/self/fd/{}", descriptor_);
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

PathOfText::~PathOfText() { ::close(descriptor_); }

std::string without_lines(std::string text, const std::vector<std::size_t>& lines) {
  for (const std::size_t line : lines) blank(text, line, 0);
  return text;
}

bool check_file(const std::string& path, char end, const FileReader& reader, Findings& findings) {
  std::vector<std::string> warnings;
  Status status = reader(path, warnings);
  if (status) {
    findings.add(Severity::kProblem, warnings);
    return true;
  }
  findings.add(Severity::kError, status.error().message, status.error().code);
  auto text = read_file(path, kRereadMax);
  std::size_t line = place_of(status.error().message).line;
  for (std::size_t n = 1; n < kErrorsMax && line > 0 && text; ++n) {
    blank(*text, line, end);
    const PathOfText copy(*text);
    warnings.clear();
    status = reader(copy.path(), warnings);
    if (status) {
      for (const std::string& warning : warnings)
        findings.add(Severity::kProblem, replaced(warning, copy.path(), path));
      break;
    }
    std::string message = replaced(status.error().message, copy.path(), path);
    const std::size_t next = place_of(message).line;
    if (next <= line) break;  // a later error caused by the omitted lines
    findings.add(Severity::kError, std::move(message), status.error().code);
    line = next;
  }
  return false;
}

}  // namespace weft::cli
