// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the configuration of torus-2QoS for one of several fabrics. The first byte
// selects the fabric. With an accepted configuration the engine computes routes without forwarding
// loops and credit loops, or returns an error message.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"
#include "fuzz_target.h"
#include "routing/engine.h"
#include "routing/torus_2qos/config.h"
#include "verify/verify.h"

namespace {

std::vector<weft::Fabric> fabrics() {
  std::vector<weft::Fabric> all;
  for (const char* spec : {"torus:3x3,hosts=1", "torus:4x3x2,hosts=1", "torus:5x5,hosts=1",
                           "mesh:3x4,hosts=1", "torus:2x2x2,hosts=1", "fattree2:k=4"}) {
    const auto drawn = weft::generate(spec);
    CHECK(drawn.has_value());
    all.push_back(*drawn->with_lids(*weft::assign_lids(*drawn, weft::current_lids(*drawn), {})));
  }
  return all;
}

}  // namespace

WEFT_FUZZ_TARGET(torus_config, data, size) {
  static const std::vector<weft::Fabric> all = fabrics();
  if (size == 0) return 0;
  const weft::Fabric& fabric = all[data[0] % all.size()];
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  auto config = weft::parse_torus_config(weft::LineReader::over(text, "torus.conf"));
  if (!config) {
    if (config.error().message.find("torus.conf") == std::string::npos) std::abort();
    return 0;
  }
  weft::RoutingOptions options;
  options.torus = std::move(*config);
  const auto routes = weft::run_engine(*weft::find_engine("torus-2QoS"), fabric, options);
  if (!routes) {
    if (routes.error().message.empty()) std::abort();
    return 0;
  }
  const weft::Verdict verdict = weft::verify(fabric, *routes, {.threads = 1});
  if (verdict.loops > 0 || verdict.has_credit_loop()) std::abort();
  return 0;
}
