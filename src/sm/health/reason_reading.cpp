// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/health/reason_reading.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ib/extended_port_info.h"
#include "ib/vendor/port_recovery_unconfirmed.h"
#include "ib/vendor/unhealthy_reason.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

// Bits of cookies
constexpr std::uint64_t kCapabilitiesBit = std::uint64_t{1} << 31;  // GeneralInfo
constexpr std::uint64_t kClearingBit = std::uint64_t{1} << 30;      // a Set that clears an event

constexpr std::array<std::pair<UnhealthyReason, HealthCondition>, 6> kConditionsOfReasons{{
    {UnhealthyReason::kCreditWatchdog, HealthCondition::kCreditWatchdog},
    {UnhealthyReason::kSymmetry, HealthCondition::kSymmetry},
    {UnhealthyReason::kRawBer, HealthCondition::kRawBer},
    {UnhealthyReason::kEffectiveBer, HealthCondition::kEffectiveBer},
    {UnhealthyReason::kSymbolBer, HealthCondition::kSymbolBer},
    {UnhealthyReason::kContainAndDrain, HealthCondition::kContainAndDrain},
}};

bool announces_reasons(const DeviceCapabilities& announced) {
  return announced.has(DeviceCapabilities::kExtendedPortInfo) &&
         (announced.has(DeviceCapabilities::kFastRecovery) ||
          announced.has(DeviceCapabilities::kPortRecoveryPolicy));
}

}  // namespace

std::optional<HealthCondition> condition_of(std::span<const std::byte, kSmpDataSize> data) {
  const UnhealthyReason reason = unhealthy_reason(data);
  for (const auto& [known, condition] : kConditionsOfReasons)
    if (reason == known) return condition;
  return std::nullopt;
}

ReasonReading::ReasonReading(const Observed& observed, ReasonMemory& memory,
                             const PortHealth::Reports& reports, AnnouncedCapabilities& announced,
                             TimeNs now)
    : observed_(observed),
      memory_(memory),
      announced_(announced),
      general_info_(observed, announced),
      now_(now) {
  std::map<Guid, std::set<PortNum>> wanted;  // no ports: all ports
  for (const Guid sw : memory.to_read)
    if (wanted.size() < kSwitchesMax) wanted.try_emplace(sw);
  for (const auto& [guid, ports] : wanted) add(guid, ports);
  std::map<Guid, std::set<PortNum>> reported;
  for (const auto& [end, report] : reports)
    if (!wanted.contains(end.guid)) reported[end.guid].insert(end.port);
  for (const auto& [guid, ports] : reported) add(guid, ports);
}

/// Adds a switch with these ports, or with all its ports if `ports` is empty.
void ReasonReading::add(Guid sw, const std::set<PortNum>& ports) {
  memory_.to_read.erase(sw);
  const auto node = observed_.fabric.find_node(sw);
  if (!node || !observed_.fabric.is_switch(*node) || !memory_.pauses.is_due(sw, now_)) return;
  const NodeInfo& info = observed_.nodes[node->value()].info;
  Device device{.node = *node, .ports = {ports.begin(), ports.end()}, .reads_all = ports.empty()};
  if (ports.empty())
    for (unsigned port = 1; port <= info.port_count; ++port)
      device.ports.push_back(PortNum(static_cast<std::uint8_t>(port)));
  const auto index = static_cast<std::uint32_t>(devices_.size());
  if (const DeviceCapabilities* const announced = announced_.find(sw)) {
    devices_.push_back(std::move(device));
    begin(index, *announced);
  } else if (announced_.may_have_general_info(info) && general_info_.add(*node)) {
    devices_.push_back(std::move(device));
  }
}

void ReasonReading::begin(std::uint32_t device, const DeviceCapabilities& announced) {
  devices_[device].ended = !announces_reasons(announced);
  devices_[device].has_policies = announced.has(DeviceCapabilities::kPortRecoveryPolicy);
  ready_.push_back(device);
}

std::uint32_t ReasonReading::index_of(std::uint64_t cookie) const {
  const NodeId node(static_cast<std::uint32_t>(cookie & ~kCapabilitiesBit));
  return static_cast<std::uint32_t>(std::ranges::find(devices_, node, &Device::node) -
                                    devices_.begin());
}

bool ReasonReading::next(Smp& request, std::uint64_t& cookie) {
  if (const auto node = general_info_.next(request)) {
    cookie = kCapabilitiesBit | node->value();
    return true;
  }
  if (!clearings_.empty()) {
    const auto [query, data] = clearings_.front();
    clearings_.pop_front();
    fill_directed_request(request, Method::kSet, AttributeId::kMlnxExtendedPortInfo,
                          query.port.value(),
                          observed_.nodes[devices_[query.device].node.value()].path());
    request.data = data;
    cookie = kClearingBit | sent_.size();
    sent_.push_back(query);
    return true;
  }
  while (!ready_.empty()) {
    const std::uint32_t index = ready_.front();
    Device& device = devices_[index];
    if (device.ended || device.sent == device.ports.size()) {
      ready_.pop_front();
      continue;
    }
    const PortNum port = device.ports[device.sent++];
    fill_directed_request(request, Method::kGet, AttributeId::kMlnxExtendedPortInfo, port.value(),
                          observed_.nodes[device.node.value()].path());
    cookie = sent_.size();
    sent_.push_back({index, port});
    if (device.answered == 0) ready_.pop_front();
    return true;
  }
  return false;
}

void ReasonReading::answered(std::uint64_t cookie, const Smp& answer) {
  if ((cookie & kCapabilitiesBit) != 0) {
    const std::uint32_t index = index_of(cookie);
    return begin(index, general_info_.answered(devices_[index].node, answer));
  }
  const Query query = sent_[cookie & ~kClearingBit];
  Device& device = devices_[query.device];
  if (answer.status != mad_status::kGood)
    return on_failure(query.device, status_text(answer.status));
  if ((cookie & kClearingBit) != 0) return;
  if (device.answered++ == 0) {
    memory_.pauses.answered(guid(device));
    ready_.push_back(query.device);
  }
  reports_.push_back({device.node, query.port, condition_of(answer.data)});
  if (!device.has_policies || !is_port_recovered(answer.data)) return;
  recovered_.push_back({device.node, query.port});
  clear_event(query, answer.data);
}

/// Queues a Set that changes no other field.
void ReasonReading::clear_event(const Query& query, SmpData data) {
  ExtendedPortInfo info = *decode_extended_port_info(data);
  info.state_change_enable = 0;
  write_extended_port_info(info, data);
  set_port_recovered(data, recovery_unconfirmed::kClearsPortRecovered);
  clearings_.push_back({query, data});
}

void ReasonReading::failed(std::uint64_t cookie, const Error& why) {
  if ((cookie & kCapabilitiesBit) != 0) {
    Device& device = devices_[index_of(cookie)];
    device.ended = true;
    return general_info_.failed(device.node);
  }
  on_failure(sent_[cookie & ~kClearingBit].device, why.message);
}

void ReasonReading::on_failure(std::uint32_t index, const std::string& why) {
  Device& device = devices_[index];
  if (std::exchange(device.ended, true)) return;
  memory_.pauses.failed(guid(device), now_);
  warnings_.push_back(
      fmt::format("ExtendedPortInfo: {} {}, although the switch announces the attribute: the "
                  "conditions of its ports are not read",
                  describe(observed_.fabric.node(device.node)), why));
}

void ReasonReading::conclude() {
  for (const Device& device : devices_)
    if (device.reads_all && !device.ended && device.answered < device.ports.size())
      memory_.to_read.insert(guid(device));
}

}  // namespace weft
