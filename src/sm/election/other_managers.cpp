// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/election/other_managers.h"

#include <algorithm>

#include "sm/discovery/directed.h"

namespace weft {

Contender contender(const OtherManager& manager) {
  return {manager.info.priority, manager.info.guid, manager.lid, manager.info.state};
}

std::optional<OtherManager> manager_at(const Observed& observed, EndportId endport) {
  if (endport == observed.self_endport) return std::nullopt;
  const Fabric& fabric = observed.fabric;
  const Port& port = fabric.port(fabric.endport(endport).port);
  if (port.node == observed.self && std::ranges::count(observed.more_own_ports, port.num) > 0)
    return std::nullopt;
  const ObservedNode& node = observed.nodes[port.node.value()];
  if (!node.answered[port.num.value()]) return std::nullopt;
  const DirectedPath& path = node.path(port.num);
  if (path.count == 0) return std::nullopt;  // an undiscovered port of the manager's own node
  return OtherManager{describe(fabric, fabric.endport(endport).port),
                      directed_request(Method::kGet, AttributeId::kSmInfo, 0, path),
                      node.ports[port.num.value()].lid,
                      {},
                      fabric.node(port.node).node_guid,
                      fabric.node(port.node).description,
                      port.num,
                      port.guid};
}

ManagerInquiry::ManagerInquiry(const Observed& observed) {
  const Fabric& fabric = observed.fabric;
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
    const Port& port = fabric.port(fabric.endport(EndportId(i)).port);
    const PortInfo& info = observed.nodes[port.node.value()].ports[port.num.value()];
    if ((info.capability_mask & cap_mask::kIsSm) == 0) continue;
    if (auto manager = manager_at(observed, EndportId(i))) asked_.push_back(std::move(*manager));
  }
}

bool ManagerInquiry::next(Smp& request, std::uint64_t& cookie) {
  answered_.resize(asked_.size(), false);
  if (at_ == asked_.size()) return false;
  request = asked_[at_].request;
  cookie = at_++;
  return true;
}

void ManagerInquiry::answered(std::uint64_t cookie, const Smp& answer) {
  OtherManager& manager = asked_[cookie];
  const auto info = decode_sm_info(answer.data);
  if (answer.status != mad_status::kGood) {
    silent_.push_back(manager.name + ": " + status_text(answer.status));
  } else if (!info) {
    silent_.push_back(manager.name + ": " + info.error().message);
  } else {
    manager.info = *info;
    answered_[cookie] = true;
  }
}

void ManagerInquiry::failed(std::uint64_t cookie, const Error& why) {
  silent_.push_back(asked_[cookie].name + ": " + why.message);
}

std::vector<OtherManager> ManagerInquiry::found() const {
  std::vector<OtherManager> managers;
  for (std::size_t i = 0; i < answered_.size(); ++i)
    if (answered_[i]) managers.push_back(asked_[i]);
  return managers;
}

Smp back_to_sender(const Smp& received, Method method, AttributeId attribute,
                   std::uint32_t modifier) {
  Smp smp;
  smp.mgmt_class = received.mgmt_class;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.mkey = received.mkey;
  smp.port = received.port;
  if (received.mgmt_class == MgmtClass::kSmpLidRouted) {
    smp.dlid = received.slid;
    return smp;
  }
  // At hop h the request arrived by port return_path[h]; the reverse path leaves by these ports in
  // reverse order.
  smp.hop_count = received.hop_count;
  for (unsigned hop = 1; hop <= received.hop_count; ++hop)
    smp.initial_path[hop] = received.return_path[received.hop_count + 1u - hop];
  return smp;
}

}  // namespace weft
