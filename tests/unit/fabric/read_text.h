// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads a fabric from a text as the file "f": what a good text gives, and the error of a bad one.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fabric/formats/read.h"

namespace weft {

/// The fabric and warnings; a failed expectation and an empty result if the text has an error.
inline ReadResult read_good(const std::string& text) {
  auto got = read_fabric_text(text, "f");
  EXPECT_TRUE(got) << got.error().message;
  return got ? std::move(*got) : ReadResult{};
}

/// The message of the error; `format` as in ReadOptions, empty for the format that the text shows.
inline std::string error_of(const std::string& text, const std::string& format = "") {
  const auto got = read_fabric_text(text, "f", {.format = format, .ibnl_dir = ""});
  return got ? "read without an error" : got.error().message;
}

}  // namespace weft
