// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/fabric.h"

#include <algorithm>

#include "base/check.h"
#include "base/printable.h"

namespace weft {
namespace {

template <class Id>
std::optional<Id> find_sorted(const std::vector<std::pair<Guid, Id>>& index, Guid guid) {
  const auto at = std::ranges::lower_bound(index, guid, {}, &std::pair<Guid, Id>::first);
  if (at == index.end() || at->first != guid) return std::nullopt;
  return at->second;
}

}  // namespace

std::optional<NodeId> Fabric::find_node(Guid node_guid) const {
  return find_sorted(by_node_guid_, node_guid);
}

const FnmEnd* Fabric::fnm_end(PortId port) const {
  const auto at = std::ranges::lower_bound(fnm_ends_, port, {}, &FnmEnd::port);
  return at == fnm_ends_.end() || at->port != port ? nullptr : &*at;
}

PortId Fabric::far_end(PortId port) const {
  const FnmEnd* const end = fnm_end(port);
  return end == nullptr ? ports_[port.value()].peer : end->peer;
}

std::vector<ChannelId> Fabric::cables() const {
  std::vector<ChannelId> cables;
  for (std::uint32_t c = 0; c < channel_count(); ++c)
    if (c < channels_[c].reverse.value()) cables.push_back(ChannelId(c));
  return cables;
}

std::vector<EndportId> Fabric::hosts() const {
  std::vector<EndportId> hosts;
  for (std::uint32_t e = switch_count(); e < endport_count(); ++e)
    if (endports_[e].addressed()) hosts.push_back(EndportId(e));
  return hosts;
}

std::optional<EndportId> Fabric::find_endport(Guid port_guid) const {
  if (const auto found = find_sorted(by_port_guid_, port_guid)) return found;
  const auto node = find_node(port_guid);
  if (node && is_switch(*node)) return EndportId(node->value());
  return std::nullopt;
}

Result<Fabric> Fabric::with_lids(std::span<const LidRange> ranges) const& {
  return Fabric(*this).with_lids(ranges);
}

Result<Fabric> Fabric::with_lids(std::span<const LidRange> ranges) && {
  if (auto status = set_lids(ranges); !status) return forward(status);
  return std::move(*this);
}

Status Fabric::set_lids(std::span<const LidRange> ranges) {
  CHECK(ranges.size() == endports_.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Endport& endport = endports_[i];
    endport.lid = ranges[i].base;
    endport.lmc = ranges[i].lmc;
    Port& port = ports_[endport.port.value()];
    port.lid = ranges[i].base;
    port.lmc = ranges[i].lmc;
  }
  return index_lids();
}

Status Fabric::index_lids() {
  lid_top_ = Lid{0};
  lid_owner_.assign(1, kNoEndport);
  for (std::uint32_t i = 0; i < endports_.size(); ++i) {
    const Endport& endport = endports_[i];
    if (endport.lid == kLidNone) continue;
    const unsigned base = endport.lid.value();
    const unsigned count = 1u << endport.lmc;
    if (endport.lmc > kLmcMax || base % count != 0 || !is_unicast(endport.lid) ||
        base + count - 1 > kLidUnicastLast.value())
      return fail(Code::kBadInput, "{}: LID {} with LMC {} is not an aligned range of unicast LIDs",
                  describe(*this, endport.port), base, endport.lmc);
    const unsigned last = base + count - 1;
    if (last >= lid_owner_.size()) lid_owner_.resize(last + 1, kNoEndport);
    for (unsigned lid = base; lid <= last; ++lid) {
      if (lid_owner_[lid] != kNoEndport)
        return fail(Code::kBadInput, "LID {} is assigned to {} and to {}", lid,
                    describe(*this, endports_[lid_owner_[lid].value()].port),
                    describe(*this, endport.port));
      lid_owner_[lid] = EndportId(i);
    }
    lid_top_ = std::max(lid_top_, Lid(static_cast<std::uint16_t>(last)));
  }
  return {};
}

std::string describe(const Node& node) {
  return fmt::format("'{}' (0x{:016x})", printable(node.description), node.node_guid.value());
}

std::string describe(const Fabric& fabric, PortId port) {
  const Port& p = fabric.port(port);
  return fmt::format("{} port {}", describe(fabric.node(p.node)), p.num.value());
}

}  // namespace weft
