// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The assumptions of Weft about vendor devices that no source confirms, in one table. A test
// compares the table with the "unconfirmed" headers, which state the assumptions in code, and with
// docs/reference/assumptions.md.
#pragma once

#include <span>
#include <string_view>

namespace weft {

struct Assumption {
  std::string_view attribute;  // name and number of the attribute, or the kind of device
  std::string_view subject;    // the field or the behavior
  std::string_view assumed;
  std::string_view used_for;  // the functions that fail if the assumption is wrong
  std::string_view sign;      // how an administrator sees that the assumption is wrong
  std::string_view file;      // the file that a correction changes, relative to src/
  /// Separated by '|': names of constants and functions of `file`, or phrases of its comments.
  std::string_view code;
};

/// By file; no two rows have the same attribute and subject.
std::span<const Assumption> assumptions();

}  // namespace weft
