// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged copies of a text, with changes drawn from a random generator.
#pragma once

#include <string>

#include "base/rng.h"

namespace weft {

/// The text with 1 to 4 changes: bytes replaced, removed, inserted or repeated.
std::string damaged_copy(std::string text, Rng& rng);

}  // namespace weft
