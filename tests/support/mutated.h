// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged copies of a text, with changes drawn from a random generator.
#pragma once

#include <string>

#include "base/rng.h"

namespace weft {

std::string mutated(std::string text, Rng& rng);

}  // namespace weft
