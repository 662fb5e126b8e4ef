// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/ppcc_work.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/log.h"
#include "gmp/addresses.h"
#include "ib/gmps/ppcc_unconfirmed.h"
#include "ib/sa_records.h"

namespace weft {
namespace {

std::uint16_t sls_of(const CongestionSetting* wanted) {
  return wanted == nullptr ? 0 : wanted->sls;
}

/// The configuration of a slot with the fields that a Set writes.
PpccConfig config_of_set(bool is_enabled, std::uint16_t sls, const CongestionSetting* wanted) {
  PpccConfig config{.is_enabled = is_enabled, .sls = sls};
  config.traces = wanted != nullptr && wanted->traces;
  config.counts = wanted != nullptr && wanted->counts;
  return config;
}

PpccConfig wanted_config(const CongestionSetting* wanted) {
  return config_of_set(wanted != nullptr, sls_of(wanted), wanted);
}

/// The configuration of a slot that keeps only SLs of the policy.
PpccConfig without_other_sls(const PpccConfig& held, const CongestionSetting* wanted) {
  const auto kept = static_cast<std::uint16_t>(held.sls & sls_of(wanted));
  return config_of_set(kept != 0, kept, wanted);
}

/// Whether two configurations of a slot agree; two disabled slots always agree.
bool agrees_with(const PpccConfig& held, const PpccConfig& config) {
  return held.is_enabled == config.is_enabled && (!held.is_enabled || held.sls == config.sls) &&
         (!held.is_enabled || (held.traces == config.traces && held.counts == config.counts));
}

/// The parameters as read, with the values of the policy.
PpccParameters with_values(PpccParameters parameters, const CongestionSetting& wanted) {
  parameters.type = PpccConfig::kList;
  parameters.length = ppcc_unconfirmed::length_of_list(wanted.values.size());
  std::ranges::copy(wanted.values, parameters.values.begin());
  return parameters;
}

}  // namespace

void PpccWork::begin(std::shared_ptr<const Snapshot> snapshot, const CongestionPolicy& policy,
                     TimeNs now) {
  now_ = now;
  snapshot_ = std::move(snapshot);
  policy_ = policy;
  devices_.clear();
  waiting_.clear();
  wanted_.clear();
  outstanding_ = 0;
  earlier_changes_ += counts_.written;
  counts_ = {};
  kinds_.forget_probes();
  if (!snapshot_ || policy_.use == CongestionUse::kIgnore) return;
  if (policy_.use == CongestionUse::kEnable)
    wanted_ = congestion_settings(policy_, snapshot_->fabric);
  for (std::uint32_t i = 0; i < snapshot_->fabric.endport_count(); ++i) add(EndportId(i));
}

void PpccWork::add(EndportId at) {
  const Fabric& fabric = snapshot_->fabric;
  const Endport& endport = fabric.endport(at);
  if (!is_unicast(endport.lid) || fabric.node(endport.node).type != NodeType::kCa) return;
  Device device{.at = at, .port = fabric.port(endport.port).guid};
  const auto supports = supports_.find(device.port);
  if (supports != supports_.end() ? !supports->second : !silent_.is_due(device.port, now_)) return;
  if (supports != supports_.end()) {
    device.step = Step::kList;
    ++counts_.ports;
  }
  waiting_.push_back(static_cast<std::uint32_t>(devices_.size()));
  devices_.push_back(std::move(device));
}

const NodeInfo& PpccWork::node_of(const Device& device) const {
  return snapshot_->nodes[snapshot_->fabric.endport(device.at).node.value()].info;
}

bool PpccWork::next(Gmp& request, std::uint64_t& ticket) {
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const std::uint32_t index = waiting_.front();
    waiting_.pop_front();
    const Device& device = devices_[index];
    if (device.step == Step::kCapabilities) {
      const NodeInfo& node = node_of(device);
      if (kinds_.is_silent(node, now_)) continue;
      if (!kinds_.begin(node, waiting_, [&](std::uint32_t other) -> const NodeInfo& {
            return node_of(devices_[other]);
          })) {
        waiting_.push_back(index);  // another device of the kind is queried first
        continue;
      }
    }
    request = {};
    request.mgmt_class = kCongestionClass;
    request.class_version = kCongestionClassVersion;
    request.method = Method::kGet;
    request.attribute = kPpccConfig;
    request.modifier = ppcc_unconfirmed::slot_modifier(device.slot);
    request.peer = address_of(*snapshot_, device.at);
    write(device, request);
    ticket = index;
    ++outstanding_;
    return true;
  }
  return false;
}

/// Sets method, attribute and data of the request of the current step. `request` must be a Get of
/// the configuration of the slot.
void PpccWork::write(const Device& device, Gmp& request) const {
  const auto set = [&](const CongestionData& data) {
    request.method = Method::kSet;
    std::ranges::copy(data, congestion_data(request).begin());
  };
  if (device.step == Step::kCapabilities) request.attribute = kEnhancedCongestionInfo;
  if (device.slots.empty()) return;
  const Slot& slot = device.slots[device.slot];
  if (device.step == Step::kRemoveSls) set(encode(without_other_sls(slot.held, slot.wanted)));
  if (device.step == Step::kEnable) set(encode(wanted_config(slot.wanted)));
  if (device.step != Step::kReadValues && device.step != Step::kWriteValues) return;
  request.attribute = kPpccParameters;
  if (device.step == Step::kWriteValues) set(encode(with_values(*slot.parameters, *slot.wanted)));
}

void PpccWork::on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer) {
  --outstanding_;
  const auto index = static_cast<std::uint32_t>(ticket);
  Device& device = devices_[index];
  if (device.step == Step::kCapabilities) return on_support(index, answer);
  if (!answer) {
    if (++device.timeouts == kTimeoutsMax)
      return fail(device, fmt::format("no answer to {} requests", kTimeoutsMax));
    return waiting_.push_back(index);
  }
  if (answer->status != mad_status::kGood)
    return fail(device, fmt::format("attribute 0x{:04x}, slot {}: status 0x{:04x}",
                                    answer->attribute, device.slot, answer->status));
  const std::uint64_t failed = counts_.failed;
  take(device, *answer);
  if (counts_.failed == failed) seek(index);
}

void PpccWork::on_support(std::uint32_t index, const std::optional<Gmp>& answer) {
  Device& device = devices_[index];
  if (!answer) {
    kinds_.note_silence(node_of(device), now_);
    return silent_.failed(device.port, now_);
  }
  kinds_.answered(node_of(device));
  silent_.answered(device.port);
  const bool supports = answer->status == mad_status::kGood &&
                        decode_enhanced_congestion_info(congestion_data(*answer)).has_ppcc;
  supports_[device.port] = supports;
  if (!supports) return;
  ++counts_.ports;
  device.step = Step::kList;
  waiting_.push_back(index);
}

/// Whether the current step is to be executed for the current slot.
bool PpccWork::needs(const Device& device) const {
  const Slot& slot = device.slots[device.slot];
  if (slot.algorithm.id == 0) return false;
  switch (device.step) {
    case Step::kCapabilities:
    case Step::kList:
      return false;
    case Step::kRead:
      return device.slot > 0;  // Step::kList has read slot 0
    case Step::kRemoveSls:
      return slot.held.is_enabled && (slot.held.sls & ~sls_of(slot.wanted)) != 0;
    case Step::kReadValues:
      return slot.wanted != nullptr && !slot.wanted->values.empty();
    case Step::kWriteValues:
      return slot.parameters &&
             !std::ranges::equal(
                 slot.wanted->values,
                 std::span(slot.parameters->values).first(slot.wanted->values.size()));
    case Step::kEnable:
      return !agrees_with(slot.held, wanted_config(slot.wanted));
  }
  return false;
}

/// Continues with the next step and slot that need a request, beginning at the current step and
/// slot. If there is none, the port is configured.
void PpccWork::seek(std::uint32_t index) {
  Device& device = devices_[index];
  for (;; device.slot = 0) {
    for (; device.slot < device.slots.size(); ++device.slot)
      if (needs(device)) return waiting_.push_back(index);
    if (device.step == Step::kEnable) break;
    device.step = static_cast<Step>(static_cast<unsigned>(device.step) + 1);
  }
  for (const Slot& slot : device.slots) counts_.enabled += slot.wanted != nullptr ? 1 : 0;
  device.slots.clear();
}

void PpccWork::take(Device& device, const Gmp& answer) {
  switch (device.step) {
    case Step::kCapabilities:
      break;
    case Step::kList:
      return take_list(device, decode_ppcc_config(congestion_data(answer)));
    case Step::kRead:
    case Step::kRemoveSls:
    case Step::kEnable:
      return take_config(device, decode_ppcc_config(congestion_data(answer)));
    case Step::kReadValues:
    case Step::kWriteValues:
      return take_parameters(device, decode_ppcc_parameters(congestion_data(answer)));
  }
}

void PpccWork::take_list(Device& device, const PpccConfig& config) {
  std::size_t count = 0;
  const auto algorithms = algorithms_of(config);
  for (std::size_t slot = 0; slot < algorithms.size(); ++slot)
    if (algorithms[slot].id != 0) count = slot + 1;
  for (const PpccAlgorithmId& algorithm : std::span(algorithms).first(count))
    device.slots.push_back({.algorithm = algorithm, .held = {}});
  if (count > 0) device.slots[0].held = config;
  const auto wanted = wanted_.find(snapshot_->fabric.endport(device.at).port);
  if (wanted == wanted_.end()) return;
  for (const CongestionSetting& setting : wanted->second) {
    const CongestionAlgorithm& algorithm = policy_.algorithms[setting.algorithm];
    const auto slot = std::ranges::find_if(device.slots, [&](const Slot& held) {
      return held.algorithm.id == algorithm.id.id && held.algorithm.major == algorithm.id.major &&
             held.algorithm.minor >= algorithm.id.minor;
    });
    if (slot != device.slots.end())
      slot->wanted = &setting;
    else
      log_once(
          device,
          fmt::format("found no algorithm {} (0x{:04x}), expected version {}.{} or a later minor "
                      "version",
                      algorithm.name, algorithm.id.id, algorithm.id.major, algorithm.id.minor));
  }
}

void PpccWork::take_config(Device& device, const PpccConfig& config) {
  Slot& slot = device.slots[device.slot];
  const PpccConfig before = std::exchange(slot.held, config);
  if (device.step == Step::kRead) {
    ++device.slot;
    return;
  }
  const PpccConfig sent = device.step == Step::kRemoveSls ? without_other_sls(before, slot.wanted)
                                                          : wanted_config(slot.wanted);
  if (!agrees_with(config, sent))
    return fail(device,
                fmt::format("slot {}: the answer to the Set has enabled {}, SLs 0x{:04x}, "
                            "traces {}, counters {}; expected {}, 0x{:04x}, {}, {}",
                            device.slot, config.is_enabled, config.sls, config.traces,
                            config.counts, sent.is_enabled, sent.sls, sent.traces, sent.counts));
  ++counts_.written;
  ++device.slot;
}

void PpccWork::take_parameters(Device& device, const PpccParameters& parameters) {
  Slot& slot = device.slots[device.slot];
  slot.parameters = parameters;
  if (device.step == Step::kWriteValues) {
    if (needs(device))
      return fail(device,
                  fmt::format("slot {}: the answer to the Set has other parameters than the Set",
                              device.slot));
    ++counts_.written;
  }
  ++device.slot;
}

void PpccWork::fail(Device& device, const std::string& why) {
  ++counts_.failed;
  device.slots.clear();
  log_once(device, why);
}

/// Logs a failure unless it equals the last logged failure of the port.
void PpccWork::log_once(const Device& device, const std::string& why) {
  if (std::exchange(logged_[device.port], why) == why) return;
  log::warn("programmable congestion control of {}: {}",
            describe(snapshot_->fabric, snapshot_->fabric.endport(device.at).port), why);
}

}  // namespace weft
