// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged copies of a text, drawn from a seed.
#pragma once

#include <string>

#include "base/rng.h"

namespace weft {

std::string mutated(std::string text, Rng& rng);

}  // namespace weft
