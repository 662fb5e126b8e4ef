// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Text from the fabric or from a file, made safe for logs and terminals: a device chooses its node
// description, which may contain newlines (forged log lines) or escape sequences of terminals.
#pragma once

#include <string>
#include <string_view>

namespace weft {

enum class Lines { kOne, kMany };

/// Valid UTF-8 without control characters. Replaced by their bytes as "\x1b" ("\n", "\t" and "\r"
/// by these two characters): C0 and C1 controls, DEL, bytes that are no UTF-8, line and paragraph
/// separators, and the controls of bidirectional text. With kMany newlines and tabs stay. Applied
/// twice it changes nothing more; the escapes are for readers, and are not reversible.
std::string printable(std::string_view text, Lines lines = Lines::kOne);

/// The same for files that other programs read: one line, and only control characters, separators
/// and controls of bidirectional text are replaced; bytes that are no UTF-8 stay.
std::string without_controls(std::string_view text);

/// For JSON text as a library writes it, with escapes of C0 controls only: the other characters
/// that printable() replaces become \u escapes, which readers of JSON turn back. Newlines, which
/// separate values, and bytes that are no UTF-8 stay.
std::string printable_json(std::string json);

/// Whether printable() changes nothing.
bool is_printable(std::string_view text, Lines lines = Lines::kOne);

}  // namespace weft
