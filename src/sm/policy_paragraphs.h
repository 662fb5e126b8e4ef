// Policy files of routing chains: paragraphs between a keyword and end-KEYWORD, with "name: value"
// lines. Everything that is wrong is found at once.
#pragma once

#include <cstddef>
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
  std::vector<Qualifier> qualifiers;  // none twice
  std::string place;                  // "FILE:LINE" of the keyword

  /// Null where it is missing.
  const Qualifier* find(std::string_view name) const;
  /// The value, or `otherwise` where it is missing.
  std::string value(std::string_view name, std::string_view otherwise = {}) const;
};

/// All that is wrong, each with its place in front.
using Complaints = std::vector<std::string>;

/// The names that may stand in a paragraph.
struct ParagraphForm {
  std::string_view keyword;
  std::span<const std::string_view> names;
  std::span<const std::string_view> mandatory;
  std::string_view with_colon{};  // the one whose value may hold a colon
};

/// Paragraphs without those that lack something. What follows '#' at the start of a line or behind
/// a blank is a comment. Fails with kEnvironment where the file cannot be read.
Result<std::vector<Paragraph>> read_paragraphs(const std::string& path, const ParagraphForm& form,
                                               Complaints& complaints);

/// kBadInput with all complaints, a line each; nothing where there are none.
Status as_status(const Complaints& complaints);

}  // namespace weft
