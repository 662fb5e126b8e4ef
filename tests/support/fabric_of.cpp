// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/fabric_of.h"

#include <cstdio>

#include "base/check.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"

namespace weft {

Fabric with_lids(const Fabric& fabric, std::uint8_t lmc) {
  const auto lids = assign_lids(fabric, current_lids(fabric), {.lmc = lmc});
  CHECK(lids.has_value());
  return *fabric.with_lids(*lids);
}

Fabric fabric_without_lids(const std::string& spec) {
  auto fabric = generate(spec);
  if (!fabric) std::fprintf(stderr, "%s\n", fabric.error().message.c_str());
  CHECK(fabric.has_value());
  return *std::move(fabric);
}

Fabric fabric_of(const std::string& spec, std::uint8_t lmc) {
  return with_lids(fabric_without_lids(spec), lmc);
}

}  // namespace weft
