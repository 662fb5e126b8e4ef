// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/held_ports.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::array<std::string_view, 11> kFieldNames{
    "MasterSMSL",          "SubnetTimeOut",       "HOQLife",
    "VLStallCount",        "VLHighLimit",         "LocalPhyErrors",
    "OverrunErrors",       "LinkWidthEnabled",    "LinkSpeedEnabled",
    "LinkSpeedExtEnabled", "LinkSpeedExtEnabled2"};

/// A field of PortInfo with the enabled widths or speeds; 0 in a Set leaves the field unchanged.
struct EnabledMask {
  std::size_t field;  // index in kFieldNames
  std::uint8_t PortInfo::*supported;
  std::uint8_t all;   // value in a Set for all supported
  std::uint8_t none;  // value in a Set for none
};
constexpr std::array kMasks{EnabledMask{7, &PortInfo::link_width_supported, 255, 0},
                            EnabledMask{8, &PortInfo::link_speed_supported, 15, 0},
                            EnabledMask{9, &PortInfo::link_speed_ext_supported, 31, 30},
                            EnabledMask{10, &PortInfo::link_speed_ext2_supported, 7, 0}};

/// Whether an enabled mask in the response has the value that the Set requested.
bool is_as_set(const EnabledMask& mask, std::uint8_t set, const PortInfo& answer,
               std::uint8_t answered) {
  if (set == 0) return true;
  if (set == mask.all) return answered == answer.*mask.supported;
  return answered == (set == mask.none ? 0 : set);
}

}  // namespace

std::array<std::uint8_t*, HeldPorts::kFields> HeldPorts::places_in(PortInfo& info) {
  return {&info.master_sm_sl,           &info.subnet_timeout,         &info.hoq_life,
          &info.vl_stall_count,         &info.vl_high_limit,          &info.local_phy_errors,
          &info.overrun_errors,         &info.link_width_enabled,     &info.link_speed_enabled,
          &info.link_speed_ext_enabled, &info.link_speed_ext2_enabled};
}

std::array<std::uint8_t, HeldPorts::kFields> HeldPorts::values_of(const PortInfo& info) {
  PortInfo copy = info;
  std::array<std::uint8_t, kFields> values{};
  std::ranges::transform(places_in(copy), values.begin(), [](const auto* at) { return *at; });
  return values;
}

const HeldPorts::Unstored* HeldPorts::find(Guid node, PortNum port) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || port.value() >= found->second.size()) return nullptr;
  const Unstored& known = found->second[port.value()];
  return known.fields == 0 ? nullptr : &known;
}

void HeldPorts::drop(Unstored& port) {
  if (port.fields != 0) --count_;
  port = {};
}

void HeldPorts::remember(Guid node, PortNum port, const PortInfo& wanted, const PortInfo& answer) {
  Unstored seen{values_of(wanted), values_of(answer), 0, answer.state};
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto mask = std::ranges::find(kMasks, i, &EnabledMask::field);
    const bool kept = mask == kMasks.end()
                          ? seen.wanted[i] == seen.answered[i]
                          : is_as_set(*mask, seen.wanted[i], answer, seen.answered[i]);
    if (!kept) seen.fields = static_cast<std::uint16_t>(seen.fields | 1u << i);
  }
  if (seen.fields == 0 && find(node, port) == nullptr) return;
  Ports& ports = nodes_[node];
  if (port.value() >= ports.size()) ports.resize(port.value() + std::size_t{1});
  drop(ports[port.value()]);
  if (seen.fields == 0) return;
  ports[port.value()] = seen;
  ++count_;
}

PortInfo HeldPorts::without_unstored(Guid node, PortNum port, const PortInfo& is,
                                     PortInfo wanted) const {
  const Unstored* known = find(node, port);
  if (known == nullptr) return wanted;
  const auto now = values_of(is);
  const auto places = places_in(wanted);
  for (std::size_t i = 0; i < kFields; ++i)
    if ((known->fields >> i & 1) != 0 && *places[i] == known->wanted[i] &&
        now[i] == known->answered[i])
      *places[i] = now[i];
  return wanted;
}

std::string HeldPorts::example(const Fabric& fabric) const {
  for (const Node& node : fabric.nodes()) {
    const auto found = nodes_.find(node.node_guid);
    if (found == nodes_.end()) continue;
    const auto port = std::ranges::find_if(found->second, &Unstored::fields);
    if (port == found->second.end()) continue;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < kFields; ++i)
      if ((port->fields >> i & 1) != 0)
        values.push_back(fmt::format("{} {} after a Set to {}", kFieldNames[i], port->answered[i],
                                     port->wanted[i]));
    return fmt::format("{} port {}: {}", describe(node), std::distance(found->second.begin(), port),
                       fmt::join(values, ", "));
  }
  return {};
}

void HeldPorts::forget(Guid node) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  for (Unstored& port : found->second) drop(port);
  nodes_.erase(found);
}

void HeldPorts::forget_all() {
  nodes_.clear();
  count_ = 0;
}

void HeldPorts::distrust(const Observed& observed) {
  std::vector<Guid> absent;
  for (auto& [guid, ports] : nodes_) {
    const auto node = observed.fabric.find_node(guid);
    if (!node) {
      absent.push_back(guid);
      continue;
    }
    const std::vector<PortInfo>& seen = observed.nodes[node->value()].ports;
    for (std::size_t port = 0; port < ports.size(); ++port)
      if (port >= seen.size() || seen[port].state < ports[port].state) drop(ports[port]);
  }
  for (const Guid guid : absent) forget(guid);
}

}  // namespace weft
