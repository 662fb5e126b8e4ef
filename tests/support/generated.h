// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fabric of a generator spec.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "fabric/generators/spec.h"

namespace weft {

/// Throws if the spec is not valid.
inline Fabric generated(const std::string& spec) {
  auto fabric = generate(spec);
  if (!fabric) throw std::runtime_error(fabric.error().message);
  return *std::move(fabric);
}

}  // namespace weft
