// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/general_info.h"

#include <algorithm>
#include <iterator>

#include "ib/adaptive_unconfirmed.h"
#include "sm/discovery/directed.h"
#include "sm/programming/held_tables.h"

namespace weft {

namespace {

/// The node with this GUID; empty if it is not in the fabric, or if this port of a CA did not
/// respond.
std::optional<NodeId> find_reachable(const Observed& observed, Guid device, PortNum port) {
  const auto node = observed.fabric.find_node(device);
  if (!node) return std::nullopt;
  const ObservedNode& seen = observed.nodes[node->value()];
  const bool has_port = seen.info.type == NodeType::kSwitch ||
                        (port.value() < seen.answered.size() && seen.answered[port.value()]);
  return has_port ? node : std::nullopt;
}

}  // namespace

void AnnouncedCapabilities::begin_sweep(const Observed& observed, const SmOptions& options,
                                        TimeNs now) {
  kinds_.forget_probes();
  silent_.clear();
  now_ = now;
  std::erase_if(unanswered_, [&](const auto& entry) {
    return !find_reachable(observed, entry.first, entry.second);
  });
  queries_default_devices_ = !options.disable_default_gi_support;
  additional_ = options.additional_gi_supporting_devices;
  for (auto entry = known_.begin(); entry != known_.end();) {
    const auto node = observed.fabric.find_node(entry->first);
    const bool in_use = node && !has_reset_state(observed.nodes[node->value()]);
    const bool was_in_use = entry->second.was_in_use;
    entry->second.was_in_use |= in_use;
    entry = !node || (was_in_use && !in_use) ? known_.erase(entry) : std::next(entry);
  }
}

std::vector<AnnouncedCapabilities::Device> AnnouncedCapabilities::begin_light_sweep(
    const Observed& observed, TimeNs now) {
  kinds_.forget_probes();
  silent_.clear();
  now_ = now;
  std::map<AnsweringKinds::Kind, Device> chosen;
  const auto query_order = [&](const Device& device) {
    return kinds_.query_order(observed.nodes[device.node.value()].info);
  };
  for (const auto& [guid, port] : unanswered_) {
    const auto node = find_reachable(observed, guid, port);
    if (!node || !kinds_.is_due(observed.nodes[node->value()].info, now)) continue;
    const Device device{*node, port};
    const auto kind = AnsweringKinds::kind(observed.nodes[node->value()].info);
    const auto [other, is_first] = chosen.try_emplace(kind, device);
    if (!is_first && query_order(device) < query_order(other->second)) other->second = device;
  }
  std::vector<Device> devices;
  for (const auto& [kind, device] : chosen) devices.push_back(device);
  return devices;
}

void AnnouncedCapabilities::forget_silence() {
  kinds_.end_pauses();
  unanswered_.clear();
}

const DeviceCapabilities* AnnouncedCapabilities::find(Guid node) const {
  const auto found = known_.find(node);
  return found == known_.end() ? nullptr : &found->second.capabilities;
}

bool AnnouncedCapabilities::may_have_general_info(const NodeInfo& sw) const {
  return (queries_default_devices_ && ar_unconfirmed::may_support_general_info(sw.device_id)) ||
         is_additional(sw);
}

bool AnnouncedCapabilities::may_be_queried(const NodeInfo& sw) const {
  return may_have_general_info(sw) && !kinds_.is_silent(sw, now_);
}

bool AnnouncedCapabilities::is_additional(const NodeInfo& node) const {
  return std::ranges::find(additional_, node.device_id) != additional_.end();
}

bool GeneralInfoQueries::add(NodeId node, PortNum port) {
  const NodeInfo& device = info(node);
  if (announced_.find(device.node_guid) != nullptr) return false;
  if (announced_.kinds_.is_silent(device, announced_.now_) ||
      announced_.silent_.contains(device.node_guid)) {
    note_unanswered({node, port});
    return false;
  }
  waiting_.push_back({node, port});
  return true;
}

std::optional<NodeId> GeneralInfoQueries::next(Smp& request) {
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const Query query = waiting_.front();
    const NodeInfo& device = info(query.node);
    waiting_.pop_front();
    if (announced_.kinds_.is_silent(device, announced_.now_)) {  // the pause began after add()
      note_unanswered(query);
      continue;
    }
    if (!announced_.kinds_.begin(device, waiting_, [&](const Query& other) -> const NodeInfo& {
          return info(other.node);
        })) {
      waiting_.push_back(query);  // query another device of the kind first
      continue;
    }
    note_unanswered(query);
    fill_directed_request(request, Method::kGet, kGeneralInfo, kCapabilityMaskOfDevice,
                          observed_.nodes[query.node.value()].path(query.port));
    return query.node;
  }
  return std::nullopt;
}

const DeviceCapabilities& GeneralInfoQueries::answered(NodeId node, const Smp& answer) {
  announced_.kinds_.answered(info(node));
  announced_.unanswered_.erase(info(node).node_guid);
  AnnouncedCapabilities::Known& known = announced_.known_[info(node).node_guid];
  known = {answer.status == mad_status::kGood ? decode_device_capabilities(answer.data)
                                              : DeviceCapabilities{},
           !has_reset_state(observed_.nodes[node.value()])};
  return known.capabilities;
}

void GeneralInfoQueries::failed(NodeId node) {
  announced_.kinds_.note_silence(info(node), announced_.now_);
  announced_.silent_.insert(info(node).node_guid);
}

GeneralInfoRetry::GeneralInfoRetry(const Observed& observed, AnnouncedCapabilities& announced,
                                   TimeNs now)
    : observed_(observed), queries_(observed, announced) {
  for (const auto& [node, port] : announced.begin_light_sweep(observed, now))
    queries_.add(node, port);
}

bool GeneralInfoRetry::next(Smp& request, std::uint64_t& cookie) {
  const auto device = queries_.next(request);
  if (device) cookie = device->value();
  return device.has_value();
}

void GeneralInfoRetry::answered(std::uint64_t cookie, const Smp& answer) {
  const NodeId node(static_cast<std::uint32_t>(cookie));
  queries_.answered(node, answer);
  if (change_.empty())
    change_ = fmt::format("{} answers GeneralInfo, which it did not before",
                          describe(observed_.fabric.node(node)));
}

void GeneralInfoRetry::failed(std::uint64_t cookie, const Error&) {
  queries_.failed(NodeId(static_cast<std::uint32_t>(cookie)));
}

}  // namespace weft
