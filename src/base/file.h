// Files: lines of plain or gzipped text as a stream, and writing that leaves the old or the new
// file, never a part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// Reads a text file line by line, gunzipping as needed ("-" is standard input). Lines come without
/// "\n" or "\r\n"; a UTF-8 byte order mark on line 1 is dropped. Memory: one line, at most kLineMax
/// bytes.
class LineReader {
 public:
  static constexpr std::size_t kLineMax = 1 << 20;

  /// Fails with kEnvironment naming the path when it cannot be opened or is a directory.
  static Result<LineReader> open(const std::string& path);
  /// Reads from memory, for tests and for content that came some other way. `name` stands for the
  /// path in messages.
  static LineReader over(std::string text, std::string name);

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// True and the next line, or false at the end; fails on a read error, damaged gzip or a line
  /// over kLineMax. The view is valid until the next call.
  Result<bool> next(std::string_view& line);

  const std::string& path() const;
  /// Number of the line that next() gave last, from 1.
  std::size_t line_number() const;
  /// Whether the line that next() gave last is the text's end without "\n" behind it: a file that
  /// was cut off ends so, most often.
  bool ends_without_newline() const;

  /// Start again at the first line; fails with kEnvironment where the source cannot (a pipe).
  Status rewind();

 private:
  struct Source;
  explicit LineReader(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

/// Gives `take` each line in turn, with the reader that knows its number; ends with the first
/// error, be it of the file or of `take`.
Status for_each_line(
    const std::string& path,
    const std::function<Status(const LineReader& at, std::string_view line)>& take);

/// A whole file, gunzipped as needed. Fails with kEnvironment naming the path, or kBadInput above
/// `size_max`.
Result<std::string> read_file(const std::string& path, std::size_t size_max = std::size_t{1} << 32);

/// Writes aside, syncs and renames, so that a kill at any moment leaves the old or the new file.
/// `mode` as in chmod.
Status write_file(const std::string& path, std::string_view content, unsigned mode = 0644);

/// The same for content produced in pieces: `produce` is given a function that appends.
Status write_file(const std::string& path,
                  const std::function<void(const std::function<void(std::string_view)>&)>& produce,
                  unsigned mode = 0644);

/// Creates the directory and its parents; fails with kEnvironment naming what is in the way.
Status make_directory(const std::string& path);

}  // namespace weft
