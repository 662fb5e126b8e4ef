// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reader of OpenSM's option files. A line consists of words; '#' begins a comment. Each word has
// its column, so that every error message names file, line and column.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "ib/ids.h"

namespace weft {

struct OptionWord {
  std::string_view text;
  std::size_t column = 1;
};

/// One line with at least one word; valid only during the call of `take`.
class OptionLine {
 public:
  OptionLine(std::string_view path, std::size_t number, std::string_view text);

  std::size_t size() const { return words_.size(); }
  bool empty() const { return words_.empty(); }
  std::string_view word(std::size_t index) const { return words_[index].text; }
  /// "file:line", for messages about the meaning of the line.
  std::string place() const;

  /// Returns the error kBadInput with the message "FILE:LINE:COLUMN: found 'WORD', expected WHAT".
  tl::unexpected<Error> wrong(std::size_t word, std::string_view want) const;

  /// The word as a GUID in hex, with or without "0x"; 0 is invalid.
  Result<Guid> guid(std::size_t word, std::string_view want) const;
  /// The word as a number, decimal or in hex with "0x", from `least` to `most`.
  Result<std::uint64_t> number(std::size_t word, std::uint64_t least, std::uint64_t most,
                               std::string_view want) const;
  Result<PortNum> port(std::size_t word) const;
  /// Fails if the line has more than `count` words.
  Status end(std::size_t count) const;

 private:
  std::string_view path_;
  std::size_t number_;
  std::vector<OptionWord> words_;
  std::size_t end_column_ = 1;
};

/// Passes each line with words to `take`, and stops at the first line for which `take` fails. Fails
/// as `take`, or with kEnvironment if the file cannot be read.
Status read_option_file(const std::string& path,
                        const std::function<Status(const OptionLine&)>& take);

}  // namespace weft
