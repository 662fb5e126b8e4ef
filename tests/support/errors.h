// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Errors in expectations: the message of a Result, and a matcher for errors that name a file and a
// line.
#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace weft {

/// The message of the error, or "no error".
template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

/// The message of an error without the path at the beginning. The test fails if the message does
/// not begin with the path.
std::string without_path(const std::string& message, std::string_view path);

/// The message of the error without the path at the beginning, or "no error". The test fails if the
/// error is not kBadInput, or if the message does not begin with the path.
template <class T>
std::string error_in(std::string_view path, const Result<T>& result) {
  if (result) return "no error";
  EXPECT_EQ(result.error().code, Code::kBadInput);
  return without_path(result.error().message, path);
}

/// Whether the message begins with "FILE:LINE:" and contains the text.
bool names_line(const std::string& message, std::string_view file, unsigned line,
                std::string_view text);

/// Matches a Result<T> with an error at this line of the file: EXPECT_THAT(read(path),
/// HasError(path, 3, "expected a GUID")).
class HasError {
 public:
  using is_gtest_matcher = void;
  HasError(std::string file, unsigned line, std::string text)
      : file_(std::move(file)), line_(line), text_(std::move(text)) {}

  template <class T>
  bool MatchAndExplain(const Result<T>& result, std::ostream* listener) const {
    if (listener != nullptr) *listener << "which is '" << error_of(result) << "'";
    return !result && names_line(result.error().message, file_, line_, text_);
  }
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  std::string file_;
  unsigned line_;
  std::string text_;
};

}  // namespace weft
