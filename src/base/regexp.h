// Extended POSIX regular expressions that free themselves.
#pragma once

#include <regex.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace weft {

class Regexp {
 public:
  /// Characters, where each repetition counts as often as it may come: "a{5}" 6, "a*", "a+" and
  /// "a?" 2.
  static constexpr std::uint64_t kLongest = 4096;

  /// Fails with kUsage and the words of regcomp(3), or where it would be longer than kLongest.
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
