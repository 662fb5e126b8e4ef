// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tokenizer for partitions.conf: words and delimiters with line and column. Blanks and line ends
// only separate words; '#' begins a comment up to the end of the line.
#pragma once

#include <cstddef>
#include <string_view>

namespace weft {

/// A word, one of the delimiters "=,:;", or empty at the end of the text.
struct Token {
  std::string_view text;
  std::size_t line = 1;
  std::size_t column = 1;

  static bool is_delimiter(char c) { return c == '=' || c == ',' || c == ':' || c == ';'; }
  bool is(char delimiter) const { return text.size() == 1 && text[0] == delimiter; }
  bool is_end() const { return text.empty(); }
  bool is_word() const { return !is_end() && !is_delimiter(text[0]); }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { next(); }

  const Token& peek() const { return token_; }
  Token take() {
    const Token taken = token_;
    end_of_taken_ = static_cast<std::size_t>(taken.text.data() - text_.data()) + taken.text.size();
    next();
    return taken;
  }
  /// The position after the last token that take() returned.
  std::size_t end_of_taken() const { return end_of_taken_; }
  /// Drops the token of peek(), skips the blanks after it, and returns the text from there up to a
  /// blank, ',', ';', '#' or the line end. Used for GIDs, which contain colons.
  Token take_to_blank();

 private:
  static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
  }
  Token token_of(std::size_t length) const {
    return {text_.substr(at_, length), line_, at_ - line_begin_ + 1};
  }
  void next();
  void skip();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
  std::size_t end_of_taken_ = 0;
  Token token_;
};

}  // namespace weft
