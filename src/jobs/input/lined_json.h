// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON values with the line on which each begins, so that errors in their meaning name it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weft::jobs {

struct LinedJson {
  enum class Kind { kNull, kText, kNumber, kTruth, kArray, kObject };
  Kind kind = Kind::kNull;
  std::size_t line = 0;
  std::string text;              // of a text; of a number as written; "true" or "false"
  std::vector<LinedJson> items;  // of an array
  std::vector<std::pair<std::string, LinedJson>> members;  // of an object, in order

  bool is_scalar() const { return kind != Kind::kArray && kind != Kind::kObject; }
};

/// Fails with kBadInput naming file and line.
Result<LinedJson> parse_lined_json(const std::string& text, const std::string& path);
/// Several values, one after another.
Result<std::vector<LinedJson>> parse_lined_json_sequence(const std::string& text,
                                                         const std::string& path);

}  // namespace weft::jobs
