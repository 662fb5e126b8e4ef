// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/general_info.h"

#include <algorithm>
#include <iterator>

#include "ib/adaptive_unconfirmed.h"
#include "sm/discovery/directed.h"
#include "sm/programming/held_tables.h"

namespace weft {

void AnnouncedCapabilities::begin_sweep(const Observed& observed, const SmOptions& options) {
  kinds_.forget_probes();
  silent_.clear();
  asks_default_devices_ = !options.disable_default_gi_support;
  additional_ = options.additional_gi_supporting_devices;
  for (auto entry = known_.begin(); entry != known_.end();) {
    const auto node = observed.fabric.find_node(entry->first);
    const bool in_use = node && !looks_reset(observed.nodes[node->value()]);
    const bool was_in_use = entry->second.was_in_use;
    entry->second.was_in_use |= in_use;
    entry = !node || (was_in_use && !in_use) ? known_.erase(entry) : std::next(entry);
  }
}

const DeviceCapabilities* AnnouncedCapabilities::find(Guid node) const {
  const auto found = known_.find(node);
  return found == known_.end() ? nullptr : &found->second.capabilities;
}

bool AnnouncedCapabilities::may_be_asked(const NodeInfo& sw) const {
  const bool is_default =
      asks_default_devices_ && ar_unconfirmed::may_support_general_info(sw.device_id);
  return (is_default || is_additional(sw)) && !kinds_.is_silent(sw);
}

bool AnnouncedCapabilities::is_additional(const NodeInfo& node) const {
  return std::ranges::find(additional_, node.device_id) != additional_.end();
}

bool GeneralInfoQueries::add(NodeId node, PortNum port) {
  const NodeInfo& device = info(node);
  if (announced_.find(device.node_guid) != nullptr || announced_.kinds_.is_silent(device) ||
      announced_.silent_.contains(device.node_guid))
    return false;
  waiting_.push_back({node, port});
  return true;
}

std::optional<NodeId> GeneralInfoQueries::next(Smp& request) {
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const Query query = waiting_.front();
    waiting_.pop_front();
    if (announced_.kinds_.is_silent(info(query.node))) continue;  // since it was queued
    if (!announced_.kinds_.begin(info(query.node))) {
      waiting_.push_back(query);  // one device of the kind is being queried
      continue;
    }
    request = directed_request(Method::kGet, kGeneralInfo, kCapabilityMaskOfDevice,
                               observed_.nodes[query.node.value()].path(query.port));
    return query.node;
  }
  return std::nullopt;
}

const DeviceCapabilities& GeneralInfoQueries::answered(NodeId node, const Smp& answer) {
  announced_.kinds_.answered(info(node));
  AnnouncedCapabilities::Known& known = announced_.known_[info(node).node_guid];
  known = {answer.status == mad_status::kGood ? decode_device_capabilities(answer.data)
                                              : DeviceCapabilities{},
           !looks_reset(observed_.nodes[node.value()])};
  return known.capabilities;
}

void GeneralInfoQueries::failed(NodeId node) {
  announced_.kinds_.was_silent(info(node));
  announced_.silent_.insert(info(node).node_guid);
}

}  // namespace weft
