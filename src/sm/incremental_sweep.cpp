// Sweeps with incremental discovery: one changed link needs no discovery of ten thousand nodes.
// Routing, verification and programming are those of every sweep.
#include <utility>

#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {

/// Only if the last sweep was complete.
bool SubnetManager::may_discover_incrementally() const {
  return role_.state == SmState::kMaster && snapshot_ && report_.up && observed_ &&
         is_fit_for_incremental_discovery(*observed_) && !first_as_master_;
}

/// `sw`: the switch that reports it, if known.
void SubnetManager::on_port_change(const std::string& what, std::optional<Guid> sw) {
  if (stage_ == Stage::kDiscovering || (stage_ == Stage::kIncrementalDiscovery && !sw)) {
    changed_meanwhile_ = true;
  } else if (stage_ == Stage::kIncrementalDiscovery) {
    incremental_discovery_->add(*sw);
  } else if (!sw || !snapshot_ || heavy_reason_ || options_.force_heavy_sweep) {
    request_heavy_sweep(what);
  } else {
    if (changed_switches_.empty()) {
      change_ = what;
      log::info("Incremental sweep: {}", what);
    }
    changed_switches_.insert(*sw);
  }
}

void SubnetManager::begin_incremental_sweep() {
  if (!may_discover_incrementally()) return request_heavy_sweep(change_);
  count_from_here(change_);
  changed_meanwhile_ = false;
  clears_changes_ = true;
  incremental_discovery_ =
      std::make_unique<IncrementalDiscovery>(*observed_, keys_, options_.node_names,
                                             fdr10_devices(), std::exchange(changed_switches_, {}));
  stage_ = Stage::kIncrementalDiscovery;
}

void SubnetManager::finish_incremental_discovery() {
  const auto discovery = std::move(incremental_discovery_);
  if (!discovery->doubt().empty()) log::info("Full discovery needed: {}", discovery->doubt());
  if (!discovery->doubt().empty() || changed_meanwhile_) return begin_discovery();
  report_.discovered_incrementally = true;
  store_discovery(std::move(*discovery).result());
}

}  // namespace weft
