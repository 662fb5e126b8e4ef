// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/errors.h"

namespace weft {

std::string without_path(const std::string& message, std::string_view path) {
  EXPECT_TRUE(message.starts_with(path)) << message;
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

bool names_line(const std::string& message, std::string_view file, unsigned line,
                std::string_view text) {
  return message.starts_with(fmt::format("{}:{}:", file, line)) &&
         message.find(text) != std::string::npos;
}

void HasError::DescribeTo(std::ostream* out) const {
  *out << "has an error that begins with '" << file_ << ":" << line_ << ":' and contains '" << text_
       << "'";
}

void HasError::DescribeNegationTo(std::ostream* out) const {
  *out << "has no error that begins with '" << file_ << ":" << line_ << ":' and contains '" << text_
       << "'";
}

}  // namespace weft
