// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/read_tables.h"

#include <utility>

#include "base/log.h"
#include "routing/adaptive/group_divisions.h"
#include "sm/sweep/default_engine.h"

namespace weft {

ReadTablesStage::ReadTablesStage(SubnetMemory& memory, const SmOptions& options, bool is_update)
    : memory_(memory), options_(options), is_update_(is_update) {
  const Observed& observed = *memory.observed;
  // With contradictory ends of links or a shared GUID, two nodes may have the same GUID. The cache
  // has GUIDs as keys and does not distinguish the tables of these nodes, so the cached tables are
  // discarded in this sweep and in the next one.
  const bool contradicts = observed.contradictions > 0 || !observed.shared_guids.empty();
  if (contradicts) memory.held.forget_all();
  memory.held.distrust(observed);
  memory.ar.distrust(observed, memory.held);
  if (std::exchange(memory.distrusts_held_tables, contradicts)) {
    memory.ar.doubt();
    memory.held.forget_tables();
  }
  go_on_with(tables_.emplace(observed, memory.held));
}

bool ReadTablesStage::advance() {
  if (!is_configured_) {
    is_configured_ = true;
    configure();
    if (is_update_) return false;
    if (const auto scope = ar_scope(options_, memory_)) {
      go_on_with(capabilities_.emplace(*memory_.observed, memory_.announced, memory_.ar, ar_conf_,
                                       *scope));
      return true;
    }
  }
  if (is_update_) return false;
  if (capabilities_ && !hash_entries_) {
    hash_entries_.emplace(*memory_.observed, memory_.ar);
    if (!hash_entries_->is_empty()) {
      go_on_with(*hash_entries_);
      return true;
    }
  }
  if (capabilities_ && !ar_tables_) {
    ar_tables_.emplace(*memory_.observed, memory_.ar);
    if (!ar_tables_->is_empty()) {
      go_on_with(*ar_tables_);
      return true;
    }
  }
  if (ar_tables_) ar_tables_->conclude();
  decide_default();
  return false;
}

void ReadTablesStage::decide_default() {
  const bool is_default = defaults_to_adaptive(options_, memory_);
  if (std::exchange(memory_.adaptive_default, is_default) == is_default) return;
  if (is_default)
    log::info(
        "default routing engine: {}, because no routing engine is configured and the fabric "
        "is a tree of AR-capable switches",
        kAdaptiveDefaultEngine);
  if (memory_.snapshot) memory_.routing_changed = true;
}

void ReadTablesStage::configure() {
  ar_conf_ = options_.routing.adaptive.value_or(ArConf{});
  ar_conf_.sl_mask = options_.ar_sl_mask;
  ar_conf_.transport_mask = options_.ar_transport_mask;
  ar_conf_.hbf_sl_mask = options_.hbf_sl_mask;
  ar_conf_.hbf_hash = options_.hbf_hash_type;
  ar_conf_.hbf_random_seed = options_.hbf_seed_type != 0;
  ar_conf_.hbf_seed = options_.hbf_seed;
  ar_conf_.hbf_fields = options_.hbf_hash_fields;
  ar_conf_.pfrn = options_.shield_mode;
  ar_conf_.pfrn_sl = options_.pfrn_sl;
  ar_conf_.pfrn_clear_s = options_.pfrn_mask_clear_timeout;
  ar_conf_.pfrn_force_clear_s = options_.pfrn_mask_force_clear_timeout;
  ar_conf_.group_copy = options_.enable_ar_group_copy;
  const Fabric& fabric = memory_.observed->fabric;
  take_device_settings(settings_of_devices(options_.devices, options_.routing.port_groups, fabric),
                       fabric, ar_conf_);
  const std::vector<bool> divides =
      switches_with_division(options_.routing.asymmetric_flow, fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (divides[s]) ar_conf_.switches[fabric.node(SwitchId(s)).node_guid].divides = true;
}

}  // namespace weft
