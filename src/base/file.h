// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads plain or gzipped files, by line or as a whole; writes files atomically: after a failure a
// file has either its old or its new content; creates directories.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// Reads a text file line by line and decompresses gzip ("-" is standard input). Lines are returned
/// without "\n" or "\r\n"; a UTF-8 byte order mark on line 1 is dropped. Memory: one line and one
/// chunk of 64 KiB.
class LineReader {
 public:
  /// Limit of a line, checked before each read of a chunk: a line may exceed the limit by one
  /// chunk. Lines of over() that end with "\n" have no limit.
  static constexpr std::size_t kLineMax = 1 << 20;

  /// Fails with kEnvironment, naming the path, if the file cannot be opened or is a directory.
  static Result<LineReader> open(const std::string& path);
  /// Reads from memory, for tests and for content that is not in a file. `name` replaces the path
  /// in messages.
  static LineReader over(std::string text, std::string name);

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// Returns true and the next line, or false at the end. Fails with kBadInput on a read error, on
  /// damaged gzip data, or if a line exceeds kLineMax. The view is valid until the next call.
  Result<bool> next(std::string_view& line);

  const std::string& path() const;
  /// Number of the line last returned by next(), from 1.
  std::size_t line_number() const;
  /// Whether the line last returned by next() ends the text without "\n": the usual sign of a
  /// truncated file.
  bool ends_without_newline() const;

  /// Starts again at the first line; fails with kEnvironment if the source, such as a pipe, cannot
  /// be rewound.
  Status rewind();

 private:
  struct Source;
  explicit LineReader(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

/// Calls `take` with each line, and with the reader for the line number; stops at the first error
/// of the file or of `take`.
Status for_each_line(
    const std::string& path,
    const std::function<Status(const LineReader& at, std::string_view line)>& take);

/// Returns the content of a file ("-" is standard input), decompressed if it is gzipped. Fails with
/// kEnvironment if the file cannot be opened or is a directory, and with kBadInput on a read error,
/// damaged gzip data, or content above `size_max` bytes. The message names the path.
Result<std::string> read_file(const std::string& path, std::size_t size_max = std::size_t{1} << 32);

/// Writes a temporary file, syncs it and renames it: a process killed at any moment leaves the old
/// or the new file at the path. `mode` is that of a new file, as in open(2): the umask clears bits.
/// A character device such as /dev/null, and a link in /dev or /dev/fd, is written in place. Fails
/// with kEnvironment, naming the path.
Status write_file(const std::string& path, std::string_view content, unsigned mode = 0644);

/// As above, for content produced in pieces: `produce` receives a function that appends a piece.
Status write_file(const std::string& path,
                  const std::function<void(const std::function<void(std::string_view)>&)>& produce,
                  unsigned mode = 0644);

/// Creates the directory and its parents. Fails with kEnvironment, naming the path, if one of them
/// cannot be created or the path is no directory.
Status make_directory(const std::string& path);

}  // namespace weft
