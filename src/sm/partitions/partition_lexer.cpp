// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/partition_lexer.h"

#include <algorithm>

namespace weft {

void Lexer::skip() {
  while (at_ < text_.size()) {
    if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = ++at_;
    } else if (is_blank(text_[at_])) {
      ++at_;
    } else {
      return;
    }
  }
}

void Lexer::next() {
  skip();
  std::size_t length = at_ < text_.size() ? 1 : 0;
  if (length > 0 && !Token::is_delimiter(text_[at_])) {
    const std::size_t end = text_.find_first_of(" \t\r\f\v\n#=,:;", at_);
    length = std::min(end, text_.size()) - at_;
  }
  token_ = token_of(length);
  at_ += length;
}

Token Lexer::take_to_blank() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  const std::size_t end = std::min(text_.find_first_of(" \t\r\f\v\n#,;", at_), text_.size());
  const Token taken = token_of(end - at_);
  at_ = end;
  next();
  return taken;
}

}  // namespace weft
