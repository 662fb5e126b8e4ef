// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads a fabric from a text as the file "f": what a good text gives, and the error of a bad one.
#pragma once

#include <string>

#include "fabric/formats/read.h"
#include "support/errors.h"

namespace weft {

/// The fabric and warnings; a failed expectation and an empty result if the text has an error.
ReadResult read_good(const std::string& text);

/// The message of the error; `format` as in ReadOptions, empty for the format that the text shows.
std::string error_of(const std::string& text, const std::string& format = "");

}  // namespace weft
