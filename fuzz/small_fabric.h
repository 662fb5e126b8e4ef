// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fabric on which fuzz targets resolve files.
#pragma once

#include "base/check.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"

inline weft::Fabric small_fabric() {
  const auto drawn = weft::generate("fattree2:k=4");
  CHECK(drawn.has_value());
  const auto lids = weft::assign_lids(*drawn, weft::current_lids(*drawn), {});
  CHECK(lids.has_value());
  return *drawn->with_lids(*lids);
}
