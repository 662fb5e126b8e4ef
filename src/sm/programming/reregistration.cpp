// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/reregistration.h"

#include "sm/programming/desired.h"

namespace weft {
namespace {

const PortInfo& info_of(const Observed& observed, PortId port) {
  const Port& own = observed.fabric.port(port);
  return observed.nodes[own.node.value()].ports[own.num.value()];
}

}  // namespace

void Reregistrations::follow(const Observed& observed, const Desired& desired) {
  std::set<Key> stay;
  for (const Endport& endport : observed.fabric.endports()) {
    const Key port = key(observed.fabric, endport.port);
    if (inherited_.contains(port)) stay.insert(port);
    if (info_of(observed, endport.port).master_sm_lid != sm_lid_of(desired, endport)) continue;
    const auto found = settled_.find(port);
    if (found != settled_.end()) stay.insert(settled_.extract(found));
  }
  settled_ = std::move(stay);
  inherited_.clear();
}

void Reregistrations::disable(const Observed& observed) {
  for (const Endport& endport : observed.fabric.endports()) settle(observed.fabric, endport.port);
}

bool Reregistrations::is_due(const Observed& observed, PortId port) const {
  return (info_of(observed, port).capability_mask & cap_mask::kClientReregistration) != 0 &&
         !settled_.contains(key(observed.fabric, port));
}

}  // namespace weft
