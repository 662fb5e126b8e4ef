// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/service/published.h"

#include <utility>

#include "base/check.h"
#include "routing/engine.h"
#include "support/fabric_of.h"
#include "verify/verify.h"

namespace weft {

Snapshot published(const std::string& spec, std::uint64_t sweep) {
  Fabric fabric = fabric_of(spec);
  auto routes = find_engine("minhop")->run(fabric, {});
  CHECK(routes.has_value());
  Verdict verdict = verify(fabric, *routes, {.threads = 1});
  return {std::move(fabric), std::move(*routes), std::move(verdict), {}, EndportId(0), sweep, {}};
}

}  // namespace weft
