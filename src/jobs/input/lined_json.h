// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON values with the line on which each begins, so that messages about invalid values state the
// line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::jobs {

struct LinedMember;

struct LinedJson {
  enum class Kind { kNull, kText, kNumber, kBoolean, kArray, kObject };
  Kind kind = Kind::kNull;
  std::size_t line = 0;
  std::string text;                  // content of a text; a number; "true", "false" or "null"
  std::vector<LinedJson> items;      // elements of an array
  std::vector<LinedMember> members;  // members of an object, in order

  bool is_scalar() const { return kind != Kind::kArray && kind != Kind::kObject; }
};

struct LinedMember {
  std::string name;
  LinedJson value;
};

/// Parses one value. Fails with kBadInput, naming file and line, if the text is not JSON or has too
/// many levels of brackets.
Result<LinedJson> parse_lined_json(const std::string& text, const std::string& path);
/// Parses a sequence of values, with or without white space between them. Fails as
/// parse_lined_json().
Result<std::vector<LinedJson>> parse_lined_json_sequence(const std::string& text,
                                                         const std::string& path);

}  // namespace weft::jobs
