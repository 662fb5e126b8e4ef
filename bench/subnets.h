// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics of the benchmarks.
#pragma once

#include <string>

#include "base/check.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"

namespace weft {

/// A generated fabric with LIDs.
inline Fabric subnet_of(const std::string& spec) {
  const auto fabric = generate(spec);
  CHECK(fabric.has_value());
  const auto lids = assign_lids(*fabric, current_lids(*fabric), {});
  CHECK(lids.has_value());
  return *fabric->with_lids(*lids);
}

}  // namespace weft
