// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes text from the fabric or from a file safe for logs and terminals. A node description, for
// example, may contain newlines (forged log lines) or escape sequences of terminals.
#pragma once

#include <string>
#include <string_view>

namespace weft {

enum class Lines { kOne, kMany };

/// Returns valid UTF-8 without control characters. C0 and C1 controls, DEL, bytes that are not
/// valid UTF-8, line and paragraph separators, and the controls of bidirectional text are replaced
/// by their bytes in the form "\x1b"; newline, tab and carriage return become "\n", "\t" and "\r".
/// With kMany newlines and tabs stay. printable(printable(text)) equals printable(text). The
/// escapes are for readers; they cannot be reversed.
std::string printable(std::string_view text, Lines lines = Lines::kOne);

/// As printable(), for files that other programs read: returns one line, and replaces only control
/// characters, separators and controls of bidirectional text; bytes that are not valid UTF-8 stay.
std::string without_controls(std::string_view text);

/// For JSON text from a library, which escapes C0 controls only: the other characters that
/// printable() replaces become \u escapes, which JSON parsers decode. Newlines and tabs, which
/// separate values, and bytes that are not valid UTF-8 stay.
std::string printable_json(std::string json);

/// Whether printable() leaves the text unchanged.
bool is_printable(std::string_view text, Lines lines = Lines::kOne);

}  // namespace weft
