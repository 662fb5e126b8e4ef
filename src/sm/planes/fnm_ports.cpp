// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/planes/fnm_ports.h"

#include <algorithm>
#include <utility>

#include "fabric/without.h"

namespace weft {
namespace {

/// The FNM ports of the devices, sorted.
std::vector<PortId> fnm_ports_of(const Observed& observed, const PlanarDevices& devices) {
  std::vector<PortId> ports;
  for (const auto& [guid, device] : devices) {
    const auto node = observed.fabric.find_node(guid);
    if (!node || !observed.fabric.is_switch(*node)) continue;
    for (const auto& [num, fnm] : device.fnm) {
      const PortId port = observed.fabric.port_id(*node, PortNum(num));
      if (fnm.carries_management() && port != kNoPort) ports.push_back(port);
    }
  }
  std::ranges::sort(ports);
  return ports;
}

}  // namespace

void separate_fnm_links(Observed& observed, const PlanarDevices& devices) {
  std::vector<PortId> ports = fnm_ports_of(observed, devices);
  if (ports == observed.fnm_ports) return;
  observed.fabric = with_fnm_ports(observed.fabric, ports);
  observed.fnm_ports = std::move(ports);
}

bool has_other_fnm_ports(const Observed& observed, const PlanarDevices& devices) {
  return fnm_ports_of(observed, devices) != observed.fnm_ports;
}

std::set<Guid> fnm_ports_to_retry(const Observed& observed, const DevicePauses& pauses,
                                  TimeNs now) {
  std::set<Guid> switches;
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s)
    if (const Guid guid = observed.fabric.node(SwitchId(s)).node_guid;
        pauses.is_retry_due(guid, now))
      switches.insert(guid);
  return switches;
}

}  // namespace weft
