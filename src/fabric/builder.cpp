// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/builder.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/printable.h"

namespace weft {
namespace {

std::string name_port(const Node& node, PortNum port) {
  return fmt::format("{} port {}", describe(node), port.value());
}

template <class T>
T slower(const std::optional<T>& a, const std::optional<T>& b, T otherwise) {
  if (a && b) return std::min(*a, *b);
  return a ? *a : b.value_or(otherwise);
}

std::optional<LinkWidth> narrower(std::optional<LinkWidth> a, std::optional<LinkWidth> b) {
  if (a && b) return lanes(*a) <= lanes(*b) ? a : b;
  return a ? a : b;
}

}  // namespace

FabricBuilder::NodeIndex FabricBuilder::add_node(Node node) {
  NodeDraft draft;
  draft.ports.resize(std::size_t{node.port_count} + 1);
  draft.node = std::move(node);
  drafts_.push_back(std::move(draft));
  return static_cast<NodeIndex>(drafts_.size() - 1);
}

Result<FabricBuilder::PortDraft*> FabricBuilder::draft(NodeIndex node, PortNum port) {
  CHECK(node < drafts_.size());
  NodeDraft& n = drafts_[node];
  if (port.value() >= n.ports.size())
    return fail(Code::kBadInput, "{}: the node has {} ports", name_port(n.node, port),
                n.node.port_count);
  return &n.ports[port.value()];
}

Status FabricBuilder::describe_port(NodeIndex node, PortNum port, const PortSpec& spec) {
  auto found = draft(node, port);
  if (!found) return forward(found);
  PortSpec& known = (*found)->spec;
  if (spec.guid) known.guid = spec.guid;
  if (spec.width) known.width = spec.width;
  if (spec.speed) known.speed = spec.speed;
  if (spec.mtu_cap) known.mtu_cap = spec.mtu_cap;
  if (spec.data_vls) known.data_vls = spec.data_vls;
  if (spec.lid) known.lid = spec.lid;
  known.may_share_guid = known.may_share_guid || spec.may_share_guid;
  known.is_fnm = known.is_fnm || spec.is_fnm;
  return {};
}

Status FabricBuilder::connect(NodeIndex a, PortNum a_port, NodeIndex b, PortNum b_port) {
  auto end_a = draft(a, a_port);
  if (!end_a) return forward(end_a);
  auto end_b = draft(b, b_port);
  if (!end_b) return forward(end_b);
  if (a_port.value() == 0 || b_port.value() == 0)
    return fail(Code::kBadInput, "{} to {}: port 0 cannot have a cable",
                name_port(drafts_[a].node, a_port), name_port(drafts_[b].node, b_port));
  if (a == b && a_port == b_port)
    return fail(Code::kBadInput, "{}: cabled to itself", name_port(drafts_[a].node, a_port));
  PortDraft& pa = **end_a;
  PortDraft& pb = **end_b;
  const auto taken = [&](NodeIndex n, PortNum p, const PortDraft& end, NodeIndex other,
                         PortNum other_port) -> Status {
    if (!end.cabled || (end.peer == other && end.peer_port == other_port)) return {};
    return fail(Code::kBadInput, "{} is cabled to {} and to {}", name_port(drafts_[n].node, p),
                name_port(drafts_[end.peer].node, end.peer_port),
                name_port(drafts_[other].node, other_port));
  };
  if (auto status = taken(a, a_port, pa, b, b_port); !status) return status;
  if (auto status = taken(b, b_port, pb, a, a_port); !status) return status;
  pa.cabled = pb.cabled = true;
  pa.peer = b;
  pa.peer_port = b_port;
  pb.peer = a;
  pb.peer_port = a_port;
  return {};
}

std::vector<FabricBuilder::NodeIndex> FabricBuilder::sorted_nodes() const {
  std::vector<NodeIndex> order(drafts_.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  std::ranges::stable_sort(order, {}, [&](NodeIndex i) {
    const Node& n = drafts_[i].node;
    return std::pair(n.type != NodeType::kSwitch, n.node_guid);
  });
  return order;
}

Status FabricBuilder::add_nodes(std::span<const NodeIndex> order, Fabric& fabric) const {
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const Node& node = drafts_[order[i]].node;
    fabric.nodes_.push_back(node);
    fabric.switch_count_ += node.type == NodeType::kSwitch ? 1 : 0;
    fabric.by_node_guid_.emplace_back(node.node_guid, NodeId(i));
  }
  std::ranges::stable_sort(fabric.by_node_guid_, {}, &std::pair<Guid, NodeId>::first);
  for (std::size_t i = 1; i < fabric.by_node_guid_.size(); ++i)
    if (fabric.by_node_guid_[i - 1].first == fabric.by_node_guid_[i].first)
      return fail(Code::kBadInput, "two nodes have GUID 0x{:016x}: '{}' and '{}'",
                  fabric.by_node_guid_[i].first.value(),
                  printable(fabric.node(fabric.by_node_guid_[i - 1].second).description),
                  printable(fabric.node(fabric.by_node_guid_[i].second).description));
  return {};
}

bool FabricBuilder::add_fnm_end(const NodeDraft& node, const PortDraft& port, FnmEnd end,
                                Fabric& fabric) const {
  if (node.node.type != NodeType::kSwitch) return false;
  const NodeDraft* const far = port.cabled ? &drafts_[port.peer] : nullptr;
  if (far != nullptr && far->node.type != NodeType::kSwitch) return false;
  const bool is_far_fnm = far != nullptr && far->ports[port.peer_port.value()].spec.is_fnm;
  if (port.spec.is_fnm || is_far_fnm) fabric.fnm_ends_.push_back(end);
  return port.spec.is_fnm || is_far_fnm;
}

void FabricBuilder::add_ports(std::span<const NodeIndex> order, Fabric& fabric) const {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  fabric.port_begin_.push_back(0);
  for (const NodeIndex i : order)
    fabric.port_begin_.push_back(fabric.port_begin_.back() +
                                 static_cast<std::uint32_t>(drafts_[i].ports.size()));
  fabric.ports_.resize(fabric.port_begin_.back());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const NodeDraft& draft = drafts_[order[i]];
    for (std::uint32_t num = 0; num < draft.ports.size(); ++num) {
      const PortDraft& from = draft.ports[num];
      Port& port = fabric.ports_[fabric.port_begin_[i] + num];
      port.node = NodeId(i);
      port.num = PortNum(static_cast<std::uint8_t>(num));
      const PortSpec& spec = from.spec;
      const PortSpec& far =
          from.cabled ? drafts_[from.peer].ports[from.peer_port.value()].spec : spec;
      const PortId id(fabric.port_begin_[i] + num);
      const PortId peer =
          from.cabled ? PortId(fabric.port_begin_[place[from.peer]] + from.peer_port.value())
                      : kNoPort;
      if (!add_fnm_end(draft, from, {id, peer}, fabric) && from.cabled) {
        port.peer = peer;
        ++fabric.link_count_;
        if (i < fabric.switch_count_ && place[from.peer] < fabric.switch_count_)
          ++fabric.switch_link_count_;
      }
      port.width = narrower(spec.width, far.width).value_or(port.width);
      port.speed = slower(spec.speed, far.speed, port.speed);
      port.mtu_cap = spec.mtu_cap.value_or(port.mtu_cap);
      port.data_vls = spec.data_vls.value_or(port.data_vls);
      if (spec.lid) port.lid = spec.lid->base, port.lmc = spec.lid->lmc;
      if (i < fabric.switch_count_) {
        port.guid = draft.ports[0].spec.guid.value_or(draft.node.node_guid);
      } else if (num > 0) {
        port.guid = spec.guid.value_or(Guid(draft.node.node_guid.value() + num));
      }
    }
  }
  fabric.link_count_ /= 2;
  fabric.switch_link_count_ /= 2;
}

void FabricBuilder::add_channels(Fabric& fabric) {
  const std::uint32_t switches = fabric.switch_count_;
  fabric.channel_of_port_.assign(fabric.ports_.size(), kNoChannel);
  fabric.channel_begin_.push_back(0);
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (const Port& port : fabric.ports(NodeId(s))) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      if (!fabric.is_switch(peer.node) || peer.node == port.node) continue;
      const std::uint32_t id = static_cast<std::uint32_t>(fabric.channels_.size());
      fabric.channel_of_port_[fabric.port_begin_[s] + port.num.value()] = ChannelId(id);
      fabric.channels_.push_back(
          {SwitchId(s), port.num, SwitchId(peer.node.value()), peer.num, kNoChannel});
    }
    fabric.channel_begin_.push_back(static_cast<std::uint32_t>(fabric.channels_.size()));
  }
  for (Channel& channel : fabric.channels_)
    channel.reverse = fabric.channel_at(channel.to, channel.to_port);
}

void FabricBuilder::add_endports(Fabric& fabric) {
  const std::uint32_t switches = fabric.switch_count_;
  for (std::uint32_t s = 0; s < switches; ++s)
    fabric.endports_.push_back(
        {fabric.port_id(NodeId(s), PortNum(0)), NodeId(s), SwitchId(s), PortNum(0)});
  std::vector<std::vector<EndportId>> attached(switches);
  for (std::uint32_t n = switches; n < fabric.nodes_.size(); ++n) {
    for (const Port& port : fabric.ports(NodeId(n))) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      const bool at_switch = fabric.is_switch(peer.node);
      const EndportId id(static_cast<std::uint32_t>(fabric.endports_.size()));
      fabric.endports_.push_back({fabric.port_id(NodeId(n), port.num), NodeId(n),
                                  at_switch ? SwitchId(peer.node.value()) : kNoSwitch,
                                  at_switch ? peer.num : PortNum(0)});
      if (at_switch) attached[peer.node.value()].push_back(id);
    }
  }
  fabric.attached_begin_.push_back(0);
  for (auto& ids : attached) {
    std::ranges::sort(ids, {}, [&](EndportId id) { return fabric.endport(id).sw_port; });
    fabric.attached_.insert(fabric.attached_.end(), ids.begin(), ids.end());
    fabric.attached_begin_.push_back(static_cast<std::uint32_t>(fabric.attached_.size()));
  }
  fabric.endport_of_port_.assign(fabric.ports_.size(), kNoEndport);
  for (std::uint32_t i = 0; i < fabric.endports_.size(); ++i)
    fabric.endport_of_port_[fabric.endports_[i].port.value()] = EndportId(i);
}

void FabricBuilder::index_port_guids(std::span<const NodeIndex> order, Fabric& fabric,
                                     std::vector<std::string>* warnings) const {
  for (std::uint32_t i = 0; i < fabric.endports_.size(); ++i)
    fabric.by_port_guid_.emplace_back(fabric.port(fabric.endports_[i].port).guid, EndportId(i));
  std::ranges::stable_sort(fabric.by_port_guid_, {}, &std::pair<Guid, EndportId>::first);
  const auto may_share = [&](const Endport& a, const Endport& b) {
    const auto& ports = drafts_[order[a.node.value()]].ports;
    return a.node == b.node && ports[fabric.port(a.port).num.value()].spec.may_share_guid &&
           ports[fabric.port(b.port).num.value()].spec.may_share_guid;
  };
  if (warnings != nullptr)
    for (std::size_t i = 1; i < fabric.by_port_guid_.size(); ++i)
      if (fabric.by_port_guid_[i - 1].first == fabric.by_port_guid_[i].first &&
          !may_share(fabric.endport(fabric.by_port_guid_[i - 1].second),
                     fabric.endport(fabric.by_port_guid_[i].second)))
        warnings->push_back(fmt::format(
            "port GUID 0x{:016x} belongs to {} and to {}", fabric.by_port_guid_[i].first.value(),
            describe(fabric, fabric.endport(fabric.by_port_guid_[i - 1].second).port),
            describe(fabric, fabric.endport(fabric.by_port_guid_[i].second).port)));
}

void FabricBuilder::assign_lids(Fabric& fabric, std::vector<std::string>* warnings) {
  std::vector<bool> taken(std::size_t{kUnicastLidCount} + 1, false);
  for (Endport& endport : fabric.endports_) {
    Port& port = fabric.ports_[endport.port.value()];
    if (port.lid == kLidNone) continue;
    const unsigned base = port.lid.value();
    const unsigned count = port.lmc <= kLmcMax ? 1u << port.lmc : 1u;
    bool good =
        port.lmc <= kLmcMax && base % count == 0 && base + count - 1 <= kLidUnicastLast.value();
    for (unsigned lid = base; good && lid < base + count; ++lid) good = !taken[lid];
    if (!good) {
      if (warnings != nullptr)
        warnings->push_back(
            fmt::format("{}: LID {} with LMC {} is invalid, misaligned or assigned twice: dropped",
                        describe(fabric, endport.port), base, port.lmc));
      port.lid = kLidNone;
      port.lmc = 0;
      continue;
    }
    for (unsigned lid = base; lid < base + count; ++lid) taken[lid] = true;
    endport.lid = port.lid;
    endport.lmc = port.lmc;
  }
}

Result<Fabric> FabricBuilder::build(std::vector<std::string>* warnings) const {
  if (drafts_.empty()) return fail(Code::kBadInput, "there is no node");
  const auto order = sorted_nodes();
  Fabric fabric;
  if (auto status = add_nodes(order, fabric); !status) return forward(status);
  add_ports(order, fabric);
  add_channels(fabric);
  add_endports(fabric);
  index_port_guids(order, fabric, warnings);
  assign_lids(fabric, warnings);
  if (auto status = fabric.index_lids(); !status) return forward(status);
  return fabric;
}

}  // namespace weft
