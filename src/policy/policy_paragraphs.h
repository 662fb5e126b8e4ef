// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reader of policy files, such as those of routing chains. A paragraph is between a keyword and
// end-KEYWORD and has "name: value" lines. All errors are reported together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft {

struct Qualifier {
  std::string name;
  std::string value;
  std::string place;  // "FILE:LINE:COLUMN" of the value
};

struct Paragraph {
  std::string_view keyword;           // as in its form
  std::vector<Qualifier> qualifiers;  // without duplicate names
  std::string place;                  // "FILE:LINE" of the keyword

  /// The qualifier with this name; null if missing.
  const Qualifier* find(std::string_view name) const;
  /// The value of a qualifier, or `otherwise` if the qualifier is missing.
  std::string value(std::string_view name, std::string_view otherwise = {}) const;
};

/// Error messages; each begins with the place of the error.
using Problems = std::vector<std::string>;

/// Qualifiers that a paragraph may contain.
struct ParagraphForm {
  std::string_view keyword;
  std::span<const std::string_view> names;
  std::span<const std::string_view> mandatory;
  std::string_view with_colon{};  // the qualifier with a value that may contain a colon
};

/// Returns the paragraphs without errors, and adds a message for each error to `problems`. '#' at
/// the start of a line or after a blank begins a comment. Fails with kEnvironment if the file
/// cannot be read.
Result<std::vector<Paragraph>> read_paragraphs(const std::string& path, const ParagraphForm& form,
                                               Problems& problems);
/// As above, for a file with paragraphs of several forms.
Result<std::vector<Paragraph>> read_paragraphs(const std::string& path,
                                               std::span<const ParagraphForm> forms,
                                               Problems& problems);

/// Adds the message about an invalid value: place and name of the qualifier, value found, and value
/// expected.
void report(const Qualifier& at, std::string_view found, std::string_view want, Problems& problems);

/// Parses SLs such as "0-3, 8"; returns a mask with a bit for each SL.
std::optional<std::uint16_t> parse_sls(std::string_view text);

/// Fails with kBadInput and one line for each problem; succeeds if there are none.
Status as_status(const Problems& problems);

}  // namespace weft
