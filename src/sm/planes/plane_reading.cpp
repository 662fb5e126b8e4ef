// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/planes/plane_reading.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fabric/planes.h"
#include "sm/discovery/busy.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr unsigned kKindAt = 48, kBlockAt = 40, kDeviceAt = 8;
constexpr std::size_t kWarningsMax = 20;

/// The port that announces HierarchyInfo for a port: port 0 of a switch, else the port itself.
const PortInfo& announcing_port(const ObservedNode& node, std::uint8_t port) {
  return node.ports[node.info.type == NodeType::kSwitch ? 0 : port];
}

bool is_readable(const ObservedNode& node, std::uint8_t port) {
  return node.answered[port] && link_is_up(node.ports[port]) &&
         has_hierarchy(announcing_port(node, port));
}

/// The plane attributes of a port; null if unknown.
const PlanePlace* place_at(const PlanarDevices& devices, const Fabric& fabric, const Port& port) {
  const auto device = devices.find(fabric.node(port.node).node_guid);
  if (device == devices.end()) return nullptr;
  const auto found = device->second.ports.find(port.num.value());
  return found == device->second.ports.end() ? nullptr : &found->second;
}

/// The links of FNM ports stay in INIT, so that this state does not mean that they are new.
bool is_known_fnm_port(const PlanarDevice& device, std::uint8_t port) {
  const auto known = device.fnm.find(port);
  return known != device.fnm.end() && known->second.carries_management();
}

/// Whether a port is linked to a switch of the same system, as FNM ports are. ExtendedPortInfo of
/// such a port is read in each sweep: an FNM port that is treated as a data port joins two planes.
bool is_within_system(const Fabric& fabric, NodeId node, std::uint8_t num) {
  const PortId peer = fabric.far_end(fabric.port_id(node, PortNum(num)));
  if (peer == kNoPort || !fabric.is_switch(fabric.port(peer).node)) return false;
  const Guid system = fabric.node(node).system_guid;
  return system != Guid(0) && fabric.node(fabric.port(peer).node).system_guid == system;
}

std::string plane_text(const PlanePlace& place) {
  return place.plane == 0 ? "no plane" : fmt::format("plane {}", place.plane);
}

void report_fnm_rings(const Fabric& fabric, PlaneReport& report,
                      std::vector<std::string>& warnings) {
  FnmRings rings = examine_fnm_rings(fabric);
  report.fnm_ports = rings.ports;
  report.fnm_links = rings.links;
  report.fnm_systems = rings.systems;
  for (std::size_t i = 0; i < std::min(rings.findings.size(), kWarningsMax); ++i)
    warnings.push_back(describe(rings.findings[i]));
  if (rings.findings.size() > kWarningsMax)
    warnings.push_back(fmt::format("and {} more switches of FNM rings that are not closed",
                                   rings.findings.size() - kWarningsMax));
  report.fnm_ring_findings = std::move(rings.findings);
}

}  // namespace

PlaneReading::PlaneReading(const Observed& observed, const PlanarDevices& known,
                           AnnouncedCapabilities& announced, PlanePauses& pauses, TimeNs now,
                           const std::optional<std::set<Guid>>& only)
    : observed_(observed),
      announced_(announced),
      general_info_(observed, announced),
      pauses_(pauses),
      now_(now) {
  for (std::uint32_t n = 0; n < observed.fabric.node_count(); ++n)
    add_device(NodeId(n), known, !only || only->contains(observed.nodes[n].info.node_guid));
}

void PlaneReading::add_device(NodeId node, const PlanarDevices& known, bool is_queried) {
  const ObservedNode& seen = observed_.nodes[node.value()];
  const bool is_switch = seen.info.type == NodeType::kSwitch;
  Device device{node, {}, {}, {}};
  bool announces = is_switch && seen.answered[0] && has_hierarchy(seen.ports[0]);
  const auto before = known.find(seen.info.node_guid);
  if (before != known.end()) device.facts = before->second;
  for (std::size_t p = 1; p < seen.ports.size(); ++p) {
    const auto port = static_cast<std::uint8_t>(p);
    announces = announces || (!is_switch && seen.answered[p] && has_hierarchy(seen.ports[p]));
    const bool is_known_fnm = is_known_fnm_port(device.facts, port);
    const bool is_up = link_is_up(seen.ports[p]);
    const bool is_new = is_up && seen.ports[p].state != PortState::kActive;
    const bool may_be_fnm =
        is_new || (is_up && (is_known_fnm || is_within_system(observed_.fabric, node, port)));
    if (is_switch && seen.answered[p] && (may_be_fnm || !device.facts.fnm.contains(port)))
      device.fnm_wanted.push_back(port);
    if (!is_readable(seen, port)) continue;
    if (device.port == 0) device.port = port;
    if ((is_new && !is_known_fnm) || !device.facts.positions.contains(port))
      device.wanted.push_back(port);
  }
  if (!announces) return;
  if (!is_queried) {
    devices_.push_back({node, std::move(device.facts), {}, {}});
    return;
  }
  if (is_switch && device.port != 0 && !device.facts.positions.contains(0))
    device.wanted.push_back(0);
  const auto index = static_cast<std::uint32_t>(devices_.size());
  const bool is_asked =
      !device.wanted.empty() && pauses_.hierarchy.is_due(seen.info.node_guid, now_);
  if (is_asked) queries_.push_back({Kind::kHierarchy, index, device.wanted.front()});
  devices_.push_back(std::move(device));
  // If the planes of all ports are known, or requests for HierarchyInfo pause, only the attributes
  // of the node and of FNM ports are read.
  if (devices_[index].port != 0 &&
      (devices_[index].wanted.empty() || (!is_asked && !devices_[index].fnm_wanted.empty())))
    ask_node(index);
}

std::uint64_t PlaneReading::cookie_of(const Query& query) {
  return static_cast<std::uint64_t>(query.kind) << kKindAt |
         static_cast<std::uint64_t>(query.block) << kBlockAt |
         static_cast<std::uint64_t>(query.device) << kDeviceAt | query.port;
}

PlaneReading::Query PlaneReading::of_cookie(std::uint64_t cookie) {
  return {static_cast<Kind>(cookie >> kKindAt), static_cast<std::uint32_t>(cookie >> kDeviceAt),
          static_cast<std::uint8_t>(cookie), static_cast<std::uint8_t>(cookie >> kBlockAt)};
}

std::uint32_t PlaneReading::index_of(NodeId node) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(devices_, node, {}, &Device::node) -
                                    devices_.begin());
}

bool PlaneReading::next(Smp& request, std::uint64_t& cookie) {
  if (const auto node = general_info_.next(request)) {
    cookie = cookie_of({Kind::kCapabilities, index_of(*node), 0});
    return true;
  }
  const auto is_dropped = [&](const Query& query) {
    return devices_[query.device].failed && query.kind != Kind::kExtendedPort;
  };
  while (!queries_.empty() && is_dropped(queries_.front())) queries_.pop_front();
  if (queries_.empty()) return false;
  const Query query = queries_.front();
  queries_.pop_front();
  const ObservedNode& node = observed_.nodes[devices_[query.device].node.value()];
  const bool is_switch = node.info.type == NodeType::kSwitch;
  const DirectedPath& path = node.path(PortNum(query.port));
  const PortNum port = is_switch ? PortNum(query.port) : PortNum(0);
  if (query.kind == Kind::kExtendedNode)
    request = directed_request(Method::kGet, kExtendedNodeInfo, 0, path);
  else if (query.kind == Kind::kExtendedPort)
    request =
        directed_request(Method::kGet, AttributeId::kMlnxExtendedPortInfo, port.value(), path);
  else
    request =
        directed_request(Method::kGet, kHierarchyInfo, hierarchy_modifier(query.block, port), path);
  cookie = cookie_of(query);
  return true;
}

/// Queues all other queries to a device once it has answered.
void PlaneReading::ask_all(std::uint32_t index) {
  Device& device = devices_[index];
  if (std::exchange(device.answers, true)) return;
  pauses_.hierarchy.answered(observed_.nodes[device.node.value()].info.node_guid);
  for (std::size_t i = 1; i < device.wanted.size(); ++i)
    queries_.push_back({Kind::kHierarchy, index, device.wanted[i]});
  ask_node(index);
}

/// Queries the attributes of the node, and ExtendedPortInfo of its possible FNM ports. The planes
/// of the ports do not depend on them.
void PlaneReading::ask_node(std::uint32_t index) {
  Device& device = devices_[index];
  const Guid guid = observed_.nodes[device.node.value()].info.node_guid;
  if (device.facts.refuses_extended_ports || !pauses_.fnm.is_due(guid, now_))
    device.fnm_wanted.clear();
  if (device.facts.is_complete && device.fnm_wanted.empty()) return;
  if (const DeviceCapabilities* const announced = announced_.find(guid))
    on_capabilities(index, *announced);
  else
    general_info_.add(device.node, PortNum(device.port));
}

void PlaneReading::on_capabilities(std::uint32_t index, const DeviceCapabilities& announced) {
  Device& device = devices_[index];
  const bool was_complete = device.facts.is_complete;
  device.facts.is_complete = was_complete || !announced.has(DeviceCapabilities::kExtendedNodeInfo);
  if (!device.facts.is_complete) queries_.push_back({Kind::kExtendedNode, index, device.port});
  if (!device.fnm_wanted.empty() && announced.has(DeviceCapabilities::kExtendedPortInfo))
    queries_.push_back({Kind::kExtendedPort, index, device.fnm_wanted.front()});
}

void PlaneReading::on_extended_port(const Query& query, const Smp& answer) {
  Device& device = devices_[query.device];
  device.facts.fnm[query.port] = decode_fnm_port(answer.data);
  if (!device.has_unread_fnm_ports)
    pauses_.fnm.answered(observed_.nodes[device.node.value()].info.node_guid);
  if (device.fnm_wanted.empty() || query.port != device.fnm_wanted.front()) return;
  for (const std::uint8_t port : std::span(device.fnm_wanted).subspan(1))
    queries_.push_back({Kind::kExtendedPort, query.device, port});
  device.fnm_wanted.clear();
}

/// The links of FNM ports that were never read stay links of the graph.
void PlaneReading::on_no_extended_port(const Query& query, const std::string& why) {
  Device& device = devices_[query.device];
  if (std::exchange(device.has_unread_fnm_ports, true)) return;
  if (!device.facts.refuses_extended_ports)
    pauses_.fnm.failed(observed_.nodes[device.node.value()].info.node_guid, now_);
  warnings_.push_back(
      fmt::format("ExtendedPortInfo: {} port {} {}, although the switch announces the attribute: "
                  "its FNM ports that were not read before are treated as data ports",
                  describe(observed_.fabric.node(device.node)), query.port, why));
}

/// The blocks of a port are read one after the other, up to the last block in use.
void PlaneReading::on_hierarchy(const Query& query, const Smp& answer) {
  const HierarchyInfo info = decode_hierarchy_info(answer.data);
  Device& device = devices_[query.device];
  std::vector<HierarchyInfo>& blocks = device.blocks[query.port];
  if (query.block == 0) {
    blocks.clear();
    on_place(query, info);
  }
  blocks.push_back(info);
  device.facts.positions[query.port] = hardware_place(blocks);
  if (query.block < last_hierarchy_block(blocks[0]))
    queries_.push_back(
        {query.kind, query.device, query.port, static_cast<std::uint8_t>(query.block + 1)});
  else
    device.blocks.erase(query.port);
}

void PlaneReading::on_place(const Query& query, const HierarchyInfo& first) {
  Device& device = devices_[query.device];
  const auto place = plane_place(first);
  ask_all(query.device);
  device.facts.ports.erase(query.port);
  if (!place)
    warnings_.push_back(fmt::format("{} port {}: {}", describe(observed_.fabric.node(device.node)),
                                    query.port, place.error().message));
  else if (*place)
    device.facts.ports[query.port] = **place;
}

void PlaneReading::answered(std::uint64_t cookie, const Smp& answer) {
  const Query query = of_cookie(cookie);
  Device& device = devices_[query.device];
  const bool good = answer.status == mad_status::kGood;
  switch (query.kind) {
    case Kind::kHierarchy:
      if (!good) return on_failure(query, status_text(answer.status));
      return on_hierarchy(query, answer);
    case Kind::kCapabilities:
      return on_capabilities(query.device, general_info_.answered(device.node, answer));
    case Kind::kExtendedPort:
      if (good) return on_extended_port(query, answer);
      if (!is_busy(answer)) device.facts.refuses_extended_ports = true;
      return on_no_extended_port(query, status_text(answer.status));
    case Kind::kExtendedNode:
      if (good) device.facts.node = decode_extended_node_info(answer.data);
      device.facts.is_complete = true;
      break;
  }
}

void PlaneReading::failed(std::uint64_t cookie, const Error& why) {
  const Query query = of_cookie(cookie);
  Device& device = devices_[query.device];
  if (query.kind == Kind::kCapabilities) return general_info_.failed(device.node);
  if (query.kind == Kind::kExtendedPort) {
    on_no_extended_port(query, why.message);
  } else if (query.kind == Kind::kExtendedNode) {
    device.facts.is_complete = true;  // the attribute is not requested again
  } else {
    on_failure(query, why.message);
  }
}

void PlaneReading::on_failure(const Query& query, const std::string& why) {
  Device& device = devices_[query.device];
  if (is_optional(query)) {
    device.facts.positions[query.port];  // not read again
    warnings_.push_back(fmt::format(
        "HierarchyInfo: {} port {} {} to block {}: the position of the port is incomplete",
        describe(observed_.fabric.node(device.node)), query.port, why, query.block));
    return;
  }
  if (std::exchange(device.failed, true)) return;
  pauses_.hierarchy.failed(observed_.nodes[device.node.value()].info.node_guid, now_);
  warnings_.push_back(
      fmt::format("HierarchyInfo: {} port {} {}, although the device announces the attribute: the "
                  "planes of its ports that were not read before are unknown",
                  describe(observed_.fabric.node(device.node)), query.port, why));
  if (!device.answers && !device.fnm_wanted.empty()) ask_node(query.device);
}

PlanarDevices PlaneReading::take(std::vector<std::string>& warnings) && {
  for (std::size_t i = 0; i < std::min(warnings_.size(), kWarningsMax); ++i)
    warnings.push_back(std::move(warnings_[i]));
  if (warnings_.size() > kWarningsMax)
    warnings.push_back(
        fmt::format("planes: {} more warnings of HierarchyInfo and ExtendedPortInfo are not listed",
                    warnings_.size() - kWarningsMax));
  // A switch that was due, but was not queried, no longer announces the attributes: without this,
  // it would be due in each light sweep.
  for (std::uint32_t s = 0; s < observed_.fabric.switch_count(); ++s)
    if (const Guid sw = observed_.fabric.node(SwitchId(s)).node_guid;
        pauses_.fnm.is_retry_due(sw, now_))
      pauses_.fnm.reset(sw);
  PlanarDevices result;
  for (Device& device : devices_)
    result.emplace(observed_.nodes[device.node.value()].info.node_guid, std::move(device.facts));
  return result;
}

PlaneReport check_planes(const Observed& observed, const PlanarDevices& devices,
                         std::vector<std::string>& warnings) {
  PlaneReport report;
  report.devices = devices.size();
  for (const auto& [guid, device] : devices) {
    report.answering += device.ports.empty() && device.positions.empty() ? 0 : 1;
    if (device.node && device.node->kind == ExtendedNodeInfo::kMultiplaneCa)
      ++report.multiplane_cas;
    const auto node = observed.fabric.find_node(guid);
    const bool is_ca = node && !observed.fabric.is_switch(*node);
    for (const auto& [port, place] : device.ports) {
      report.ports += place.plane > 0 ? 1 : 0;
      if (is_ca) report.stated = std::max<std::uint32_t>(report.stated, place.planes);
    }
  }
  const Fabric& fabric = observed.fabric;
  report_fnm_rings(fabric, report, warnings);
  if (report.ports == 0) return report;
  const Planes planes = find_planes(fabric, report.stated);
  std::vector<std::set<unsigned>> numbers(planes.planes.size());  // by plane of the links
  std::vector<std::string> found;
  for (std::uint32_t id = 0; id < fabric.port_count(); ++id) {
    const Port& near = fabric.port(PortId(id));
    if (near.peer == kNoPort) continue;
    const Port& far = fabric.port(near.peer);
    const PlanePlace* const near_place = place_at(devices, fabric, near);
    const PlanePlace* const far_place = place_at(devices, fabric, far);
    if (near_place != nullptr && near_place->plane > 0 && fabric.is_switch(near.node))
      if (const std::uint32_t plane = planes.of(SwitchId(near.node.value())); plane > 0)
        numbers[plane - 1].insert(near_place->plane);
    if (near_place == nullptr || far_place == nullptr || near.peer.value() < id) continue;
    if (near_place->plane != far_place->plane)
      found.push_back(fmt::format("{} of {} is cabled to {} of {}: expected the same plane",
                                  describe(fabric, PortId(id)), plane_text(*near_place),
                                  describe(fabric, near.peer), plane_text(*far_place)));
  }
  for (std::size_t p = 0; p < numbers.size(); ++p)
    if (numbers[p].size() > 1)
      found.push_back(fmt::format(
          "plane {} by cables: HierarchyInfo of its switches has plane numbers {}, expected one "
          "number",
          p + 1, fmt::join(numbers[p], ", ")));
  report.contradictions = found.size();
  report.deviations.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                              found.size(), kWarningsMax)));
  warnings.insert(warnings.end(), report.deviations.begin(), report.deviations.end());
  if (found.size() > kWarningsMax)
    warnings.push_back(
        fmt::format("and {} more contradictions between planes", found.size() - kWarningsMax));
  return report;
}

}  // namespace weft
