// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Extended POSIX regular expressions as values.
#pragma once

#include <regex.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace weft {

class Regexp {
 public:
  /// Limit of the estimated length in characters after repetitions are written out: "a{5}" counts 6
  /// (the largest number of repetitions plus 1), "a*", "a+" and "a?" count 2, a bracket expression
  /// counts 1, and a group counts 1 more than its content.
  static constexpr std::uint64_t kLongest = 4096;

  /// Fails with kUsage: with the message of regcomp(3), or because the estimated length is above
  /// kLongest.
  static Result<Regexp> compile(const std::string& text);

  /// Whether the expression matches anywhere in the text.
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
