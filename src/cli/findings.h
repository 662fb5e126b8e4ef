// What `weft check` finds, and reading files to their last wrong line: readers stop at the first
// one, so a file is read again without the lines that were wrong.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::cli {

enum class Severity {
  kError,    // weft sm would not start
  kProblem,  // it would start, and not do what is written
  kNote,     // worth knowing
};
std::string_view name(Severity severity);

struct Finding {
  Severity severity = Severity::kNote;
  Code code = Code::kBadInput;  // of errors
  std::string text;             // as weft sm says it: "FILE:LINE:COLUMN: ..."
};

class Findings {
 public:
  /// Once, however often it is found.
  void add(Severity severity, std::string text, Code code = Code::kBadInput);
  void add(Severity severity, const std::vector<std::string>& texts);

  const std::vector<Finding>& all() const { return all_; }
  std::size_t count(Severity severity) const;

 private:
  std::vector<Finding> all_;
};

/// A finding that begins with a place in a file.
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;  // 0: none
};
/// Of "FILE:LINE:COLUMN: what" or "FILE:LINE: what"; line 0 where the text has no place.
Place place_of(std::string_view text);

/// Reads the file at a path, which is not the file's own name on later rounds.
using FileReader =
    std::function<Status(const std::string& path, std::vector<std::string>& warnings)>;

/// Every wrong line as an error, every warning as a problem. A statement of several lines that is
/// wrong is left out up to the line with `end`, if that is not 0. True if the file is good.
bool check_file(const std::string& path, char end, const FileReader& reader, Findings& findings);

/// The same for a text with known wrong lines: the text without them.
std::string without_lines(std::string text, const std::vector<std::size_t>& lines);

/// A text that has a path, in memory.
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
