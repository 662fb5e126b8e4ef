// Sweeps for which it is enough to look at what changed: a cable that went or came needs no
// discovery of ten thousand nodes. Routing, proof and programming are those of every sweep.
#include <utility>

#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {

/// Only where the last sweep left nothing open.
bool SubnetManager::may_look_around() const {
  return role_.state == SmState::kMaster && snapshot_ && report_.up && observed_ &&
         is_fit_for_local_look(*observed_) && !first_as_master_;
}

/// `sw`: the switch that says so, where it is known.
void SubnetManager::on_port_change(const std::string& what, std::optional<Guid> sw) {
  if (stage_ == Stage::kDiscovering || (stage_ == Stage::kLookingAround && !sw)) {
    changed_meanwhile_ = true;
  } else if (stage_ == Stage::kLookingAround) {
    local_look_->add(*sw);
  } else if (!sw || !snapshot_ || heavy_wanted_ || options_.force_heavy_sweep) {
    request_heavy_sweep(what);
  } else {
    if (changed_switches_.empty()) {
      change_ = what;
      log::info("Sweep around what changed: {}", what);
    }
    changed_switches_.insert(*sw);
  }
}

void SubnetManager::begin_sweep_around() {
  if (!may_look_around()) return request_heavy_sweep(change_);
  count_from_here(change_);
  changed_meanwhile_ = false;
  clears_changes_ = true;
  local_look_ = std::make_unique<LocalLook>(*observed_, keys_, options_.node_names, fdr10_devices(),
                                            std::exchange(changed_switches_, {}));
  stage_ = Stage::kLookingAround;
}

void SubnetManager::finish_look_around() {
  const auto look = std::move(local_look_);
  if (!look->doubt().empty()) log::info("A look at the whole fabric is needed: {}", look->doubt());
  if (!look->doubt().empty() || changed_meanwhile_) return begin_discovery();
  report_.looked_around = true;
  take_in(std::move(*look).result());
}

}  // namespace weft
