// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Findings of `weft check`. A reader stops at the first invalid line of a file. To find all invalid
// lines, the file is read again without the invalid lines found so far.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::cli {

enum class Severity {
  kError,    // weft sm would not start
  kProblem,  // weft sm would start, but a setting does not have the intended effect
  kNote,     // advice
};
std::string_view name(Severity severity);

struct Finding {
  Severity severity = Severity::kNote;
  Code code = Code::kBadInput;  // for errors only
  std::string text;  // for errors in a file, the message of weft sm: "FILE:LINE:COLUMN: ..."
};

class Findings {
 public:
  /// Adds a finding, unless there is one with the same text.
  void add(Severity severity, std::string text, Code code = Code::kBadInput);
  void add(Severity severity, const std::vector<std::string>& texts);

  const std::vector<Finding>& all() const { return all_; }
  std::size_t count(Severity severity) const;

 private:
  std::vector<Finding> all_;
};

/// Position in a file.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;  // 0: none
};
/// Parses the prefix of "FILE:LINE:COLUMN: ..." or "FILE:LINE: ..."; the line is 0 if the text has
/// no prefix.
Place place_of(std::string_view text);

/// Reads the file at `path`. From the second call on, `path` is that of a temporary copy.
using FileReader =
    std::function<Status(const std::string& path, std::vector<std::string>& warnings)>;

/// Adds the invalid lines, at most 50, as errors. Of a file above 4 MiB, only the first invalid
/// line is added. The search ends at an error on a line that is not after the last invalid line,
/// because the omitted lines may have caused it. Warnings are added as problems if the file is
/// valid, or becomes valid without the invalid lines. If `end` is not 0, an invalid statement is
/// skipped up to the line that contains `end`. Returns whether the file is valid.
bool check_file(const std::string& path, char end, const FileReader& reader, Findings& findings);

/// Replaces the given lines (from 1) with blanks, so that line numbers stay the same.
std::string without_lines(std::string text, const std::vector<std::size_t>& lines);

/// An in-memory file that can be opened by its path.
class PathOfText {
 public:
  explicit PathOfText(std::string_view text);
  ~PathOfText();
  PathOfText(const PathOfText&) = delete;
  PathOfText& operator=(const PathOfText&) = delete;
  const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace weft::cli
