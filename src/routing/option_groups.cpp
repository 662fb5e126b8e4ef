// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/option_groups.h"

namespace weft {

SpreadOptions SpreadOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads,
          .balance = all.balance,
          .order = all.order,
          .ignored = all.ignored,
          .port_rank = all.port_rank,
          .port_shifting = all.port_shifting,
          .scatter_ports = all.scatter_ports,
          .not_scattered = all.not_scattered,
          .previous = all.previous.get(),
          .previous_fabric = all.previous_fabric};
}

WeightedOptions WeightedOptions::from(const RoutingOptions& all) {
  return {SpreadOptions::from(all), all.hop_weights, all.node_weights};
}

UpDownOptions UpDownOptions::from(const RoutingOptions& all) {
  return {WeightedOptions::from(all), all.connect_roots, all.switch_rank,
          all.parameters.of(kReweight), all.routes_before_passes()};
}

GroupOptions GroupOptions::from(const RoutingOptions& all) {
  return {
      .threads = all.threads, .adaptive = pointer_to(all.adaptive), .hop_weights = all.hop_weights};
}

MulticastOptions MulticastOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads, .vls_max = all.vls_max, .torus = pointer_to(all.torus)};
}

}  // namespace weft
