// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every switch is cabled to every other switch. Ports: the other switches in order, then hosts.
#include "fabric/generators/shapes.h"

namespace weft {

Result<Drawing> draw_full(const Parameters& parameters) {
  const unsigned n = parameters.number("n");
  const unsigned trunks = parameters.number("trunks");
  const unsigned hosts = parameters.number("hosts");
  auto drawing =
      Drawing::start(parameters, {n, product({n, hosts}), product({n - 1, trunks}) + hosts});
  if (!drawing) return drawing;
  for (unsigned i = 0; i < n; ++i) drawing->add_switch(fmt::format("sw-{}", i + 1));
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = i + 1; j < n; ++j) drawing->cable(i, j, trunks);
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace weft
