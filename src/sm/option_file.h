// Option files of OpenSM: words on lines, and what follows '#' is a comment. A word knows where it
// stands, so that every complaint names file, line and column.
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

/// One line with at least one word; valid while it is being taken.
class OptionLine {
 public:
  OptionLine(std::string_view path, std::size_t number, std::string_view text);

  std::size_t size() const { return words_.size(); }
  bool empty() const { return words_.empty(); }
  std::string_view word(std::size_t index) const { return words_[index].text; }
  /// "file:line", for complaints about what the line means.
  std::string place() const;

  /// Fails with kBadInput "FILE:LINE:COLUMN: found 'WORD', want WHAT".
  tl::unexpected<Error> wrong(std::size_t word, std::string_view want) const;

  /// The word as a GUID in hex, with or without "0x"; 0 is none.
  Result<Guid> guid(std::size_t word, std::string_view want) const;
  /// The word as a number, decimal or behind "0x" in hex, from `least` to `most`.
  Result<std::uint64_t> number(std::size_t word, std::uint64_t least, std::uint64_t most,
                               std::string_view want) const;
  Result<PortNum> port(std::size_t word) const;
  /// Fails where words follow the first `count`.
  Status end(std::size_t count) const;

 private:
  std::string_view path_;
  std::size_t number_;
  std::vector<OptionWord> words_;
  std::size_t end_column_ = 1;
};

/// Gives each line with words to `take`, and stops at its first failure. Fails with kEnvironment
/// where the file cannot be read.
Status read_option_file(const std::string& path,
                        const std::function<Status(const OptionLine&)>& take);

}  // namespace weft
