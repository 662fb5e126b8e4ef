// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A snapshot like that of a manager: a generated fabric with minhop routes and LIDs from 1 on.
#pragma once

#include <string>
#include <utility>

#include "base/check.h"
#include "fabric/generators/spec.h"
#include "routing/engine.h"
#include "sm/sweep_report.h"
#include "verify/verify.h"

namespace weft {

inline Snapshot published(const std::string& spec, std::uint64_t sweep = 7) {
  auto fabric = generate(spec);
  CHECK(fabric.has_value());
  std::vector<LidRange> ranges;
  for (std::size_t i = 0; i < fabric->endports().size(); ++i)
    ranges.push_back({Lid(static_cast<std::uint16_t>(i + 1)), 0});
  fabric = fabric->with_lids(ranges);
  auto routes = find_engine("minhop")->run(*fabric, {});
  CHECK(routes.has_value());
  Verdict verdict = verify(*fabric, *routes, {.threads = 1});
  return {std::move(*fabric), std::move(*routes), std::move(verdict), {}, EndportId(0), sweep, {}};
}

}  // namespace weft
