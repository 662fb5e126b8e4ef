// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads a fabric from a text as if it were the file "f"; returns the fabric, or the error.
#pragma once

#include <string>

#include "fabric/formats/read.h"
#include "support/errors.h"

namespace weft {

/// Returns the fabric and warnings. If the text has an error, the test fails and the result is
/// empty.
ReadResult read_good(const std::string& text);

/// Returns the error message. `format` as in ReadOptions; if empty, the format is recognized.
std::string error_of(const std::string& text, const std::string& format = "");

}  // namespace weft
