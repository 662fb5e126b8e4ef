// Extended POSIX regular expressions that free themselves.
#pragma once

#include <regex.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace weft {

class Regexp {
 public:
  /// Fails with kUsage and the words of regcomp(3).
  static Result<Regexp> compile(const std::string& text);

  /// Whether it matches anywhere in the text.
  bool finds(const std::string& text) const;

 private:
  struct Free {
    void operator()(regex_t* compiled) const;
  };
  using Compiled = std::unique_ptr<regex_t, Free>;
  explicit Regexp(Compiled compiled) : compiled_(std::move(compiled)) {}

  Compiled compiled_;
};

}  // namespace weft
