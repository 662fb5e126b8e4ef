// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibdm/ibdm_systems.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::uint32_t kMellanox = 0x2c9;
constexpr std::uint64_t kFirstGuid = 0x0002c90000000002;

/// The rate of a port, with defaults where a value is missing.
LinkRate or_default(LinkRate rate) {
  rate.fill_from({LinkWidth::k4x, LinkSpeed::kSdr});
  return rate;
}

FabricBuilder::PortSpec spec_of(const LinkRate& rate) {
  FabricBuilder::PortSpec spec;
  spec.width = rate.width;
  spec.speed = rate.speed;
  return spec;
}

}  // namespace

std::optional<std::uint16_t> ibdm_device_id(std::string_view device) {
  if (!device.starts_with('M')) return std::nullopt;
  device.remove_prefix(device.starts_with("MT") ? 2 : 1);
  if (device.size() < 4 || device.size() > 5) return std::nullopt;
  return parse_number<std::uint16_t>(device);
}

Result<FabricBuilder::NodeIndex> IbdmSystems::add(const std::string& name, const SystemPlan& plan) {
  const FabricBuilder::NodeIndex first = builder_.node_count();
  for (const SystemPlan::Chip& chip : plan.chips) {
    Node node;
    node.type = chip.type;
    node.port_count = chip.ports;
    node.description = name + "/" + chip.name;
    if (const auto device = ibdm_device_id(chip.device)) {
      node.vendor_id = kMellanox;
      node.device_id = *device;
    }
    const auto index = builder_.add_node(std::move(node));
    for (std::uint8_t port = 1; port <= chip.ports && port != 0; ++port) {
      const auto spec = spec_of(or_default(chip.rates[port]));
      if (auto status = builder_.describe_port(index, PortNum(port), spec); !status)
        return forward(status);
    }
    first_of_system_.push_back(first);
  }
  for (const auto& [a, b] : plan.wires) {
    auto status =
        builder_.connect(first + a.chip, PortNum(a.port), first + b.chip, PortNum(b.port));
    if (!status) return forward(status);
  }
  return first;
}

Status IbdmSystems::cable(FabricBuilder::NodeIndex a_first, const SystemPlan& a_plan, ChipPort a,
                          FabricBuilder::NodeIndex b_first, const SystemPlan& b_plan, ChipPort b,
                          const LinkRate& rate) {
  const auto end = [&](const SystemPlan& plan, ChipPort at) {
    LinkRate stated = rate;
    stated.fill_from(plan.chips[at.chip].rates[at.port]);
    return spec_of(or_default(stated));
  };
  auto status = builder_.describe_port(a_first + a.chip, PortNum(a.port), end(a_plan, a));
  if (status) status = builder_.describe_port(b_first + b.chip, PortNum(b.port), end(b_plan, b));
  if (!status) return status;
  return builder_.connect(a_first + a.chip, PortNum(a.port), b_first + b.chip, PortNum(b.port));
}

void IbdmSystems::number_nodes() {
  std::vector<FabricBuilder::NodeIndex> order(first_of_system_.size());
  std::iota(order.begin(), order.end(), FabricBuilder::NodeIndex{0});
  std::ranges::stable_sort(order, {}, [&](FabricBuilder::NodeIndex i) -> const std::string& {
    return builder_.node(i).description;
  });
  std::uint64_t next = kFirstGuid;
  std::vector<Guid> system_guid(order.size());  // by first node
  for (const FabricBuilder::NodeIndex i : order) {
    Node& node = builder_.node(i);
    node.node_guid = Guid(next);
    Guid& system = system_guid[first_of_system_[i]];
    if (system == Guid{}) system = node.node_guid;
    node.system_guid = system;
    next += node.type == NodeType::kSwitch ? 2 : 1 + std::uint64_t{node.port_count};
  }
}

}  // namespace weft
