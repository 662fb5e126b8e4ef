// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/options.h"

#include <algorithm>

#include "routing/adaptive/engines.h"

namespace weft {

bool uses_adaptive_routing(const SmOptions& options) {
  if (options.routing.adaptive) return options.routing.adaptive->enable;
  return std::ranges::any_of(options.routing_engine.engines,
                             [](const std::string& name) { return plain_engine(name) != name; });
}

}  // namespace weft
