#include "sa/view.h"

#include <algorithm>

#include "ib/rates.h"

namespace weft {
namespace {

SaView::Limits limits_of(const PortInfo& info) {
  SaView::Limits limits;
  limits.rate = rate_code(active_width(info).value_or(LinkWidth::k1x),
                          active_speed(info).value_or(LinkSpeed::kSdr));
  limits.data_rate = static_cast<std::uint16_t>(data_rate_of(limits.rate));
  limits.mtu = std::max<std::uint8_t>(info.mtu_cap, 1);
  return limits;
}

}  // namespace

bool match_pkeys(Pkey a, Pkey b) {
  return ((a.value() ^ b.value()) & kPkeyBaseMask) == 0 && (a.value() & kPkeyBaseMask) != 0 &&
         ((a.value() | b.value()) & kPkeyFullBit) != 0;
}

SaView::SaView(std::shared_ptr<const Snapshot> snapshot, const SaOptions& options)
    : snapshot_(std::move(snapshot)), options_(options) {
  const Fabric& fabric = this->fabric();
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) nodes_.push_back(NodeId(n));
  std::ranges::sort(nodes_, {},
                    [&](NodeId node) { return std::pair(fabric.node(node).node_guid, node); });
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
    if (fabric.endport(EndportId(e)).lid != kLidNone) endports_.push_back(EndportId(e));
  std::ranges::sort(endports_, {}, [&](EndportId endport) {
    return std::pair(fabric.port(fabric.endport(endport).port).guid, endport);
  });
  limits_.resize(fabric.port_count());
  for (const NodeId node : nodes_)
    for (const Port& port : fabric.ports(node))
      limits_[fabric.port_id(node, port.num).value()] =
          limits_of(observed(node).ports[port.num.value()]);
}

EndportId SaView::endport_of_port(NodeId node, PortNum port) const {
  return fabric().endport_at(fabric().port_id(node, fabric().is_switch(node) ? PortNum(0) : port));
}

Lid SaView::lid_of_port(NodeId node, PortNum port) const {
  const EndportId endport = endport_of_port(node, port);
  return endport == kNoEndport ? kLidNone : fabric().endport(endport).lid;
}

Gid SaView::gid(EndportId endport) const {
  return make_gid(options_.subnet_prefix, fabric().port(fabric().endport(endport).port).guid);
}

std::optional<EndportId> SaView::find(const Gid& gid) const {
  if (prefix_of(gid) != options_.subnet_prefix) return std::nullopt;
  const auto found = fabric().find_endport(guid_of(gid));
  if (!found || fabric().endport(*found).lid == kLidNone) return std::nullopt;
  return found;
}

std::span<const Pkey> SaView::pkeys(PortId port) const {
  return snapshot_->pkeys.programs(port) ? snapshot_->pkeys.table(port) : std::span<const Pkey>();
}

bool SaView::share_partition(EndportId a, EndportId b) const {
  return common_pkey(a, b).has_value();
}

std::optional<Pkey> SaView::common_pkey(EndportId a, EndportId b) const {
  const auto other = pkeys(b);
  for (const Pkey mine : pkeys(a))
    for (const Pkey theirs : other)
      if (match_pkeys(mine, theirs)) return mine;
  return std::nullopt;
}

}  // namespace weft
