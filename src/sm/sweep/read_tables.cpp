// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/read_tables.h"

#include <utility>

namespace weft {

ReadTablesStage::ReadTablesStage(SubnetMemory& memory, const SmOptions& options, bool is_update)
    : memory_(memory), options_(options), is_update_(is_update) {
  const Observed& observed = *memory.observed;
  // Of contradictory nodes it is unknown which one was written to, also in the next sweep.
  const bool contradicts = observed.contradictions > 0 || !observed.shared_guids.empty();
  if (contradicts) memory.held.forget_all();
  if (std::exchange(memory.distrusts_held_tables, contradicts)) memory.held.forget_tables();
  memory.held.distrust(observed);
  memory.ar.distrust(observed, memory.held);
  go_on_with(tables_.emplace(observed, memory.held));
}

bool ReadTablesStage::advance() {
  if (capabilities_) return false;
  ar_conf_ = options_.routing.adaptive.value_or(ArConf{});
  ar_conf_.sl_mask = options_.ar_sl_mask;
  ar_conf_.transport_mask = options_.ar_transport_mask;
  ar_conf_.group_copy = options_.enable_ar_group_copy;
  const Fabric& fabric = memory_.observed->fabric;
  take_device_settings(settings_of_devices(options_.devices, options_.routing.port_groups, fabric),
                       fabric, ar_conf_);
  ar_conf_.default_devices = !options_.disable_default_gi_support;
  ar_conf_.more_devices = options_.additional_gi_supporting_devices;
  if (!uses_adaptive_routing(options_) || is_update_) return false;
  go_on_with(capabilities_.emplace(*memory_.observed, memory_.ar, ar_conf_));
  return true;
}

}  // namespace weft
