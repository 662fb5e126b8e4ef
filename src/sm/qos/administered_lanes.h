// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SL2VL and VL arbitration of each port from the administrator's QoS keys (qos.h). VLs above the
// operational VLs of a port are mapped to its operational VLs, so the maps depend on the number of
// VLs of a port.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "fabric/fabric.h"
#include "policy/route_chain.h"
#include "routes/routes.h"
#include "sm/observed.h"
#include "sm/qos/lanes.h"
#include "sm/qos/qos.h"

namespace weft {

/// The kind of keys that applies to a port.
QosTarget target_of(const Fabric& fabric, const Port& port);

/// SL2VL between the ports of switches from the keys; verify() checks routes with these maps before
/// the routes are used. qos_swe_sl2vl applies to external output ports, qos_sw0_sl2vl to enhanced
/// ports 0.
WantedMaps administered_maps(const Observed& observed, const Fabric& fabric, const QosOptions& qos,
                             VlLimit limit);

/// Arbitration from the keys, truncated to the length of the port's tables.
PortArbitration administered_arbitration(const QosTables& tables, unsigned data_vls,
                                         unsigned low_cap, unsigned high_cap);

/// The VLs with a weight, as a bit mask.
std::uint16_t vls_with_weight(const PortArbitration& arbitration);

/// SL2VL of ports of CAs and routers, and arbitration of all ports, under -Q: values from the keys;
/// values that are incompatible with the routes are corrected and noted.
class AdministeredPorts {
 public:
  AdministeredPorts(const Observed& observed, const Fabric& fabric, const Routes& routes,
                    const QosOptions& qos, VlLimit limit);

  /// Whether the routes were verified with SL2VL from the keys. Otherwise the SL2VL of the engine
  /// is programmed, at CAs and routers also.
  bool maps_are_used() const { return maps_are_used_; }
  /// SL2VL of a port of a CA or router: from its keys, or from the routes.
  SlMap end_map(const Port& port, unsigned data_vls);
  PortArbitration arbitration(const Port& port, const PortInfo& info, unsigned data_vls);
  /// Notes about corrected values.
  std::vector<std::string> notes() const;

 private:
  struct Repair {
    std::string what;  // text of the message before the ports
    std::string first_port;
    std::size_t ports = 0;
  };
  const QosTables& tables(const Port& port) const {
    return tables_[static_cast<std::size_t>(target_of(fabric_, port))];
  }
  bool leads_to_end_of_torus(const Port& port) const;
  std::uint16_t dropped_sls(const Port& port) const;
  SlMap planned_end_map(const Port& port, unsigned data_vls) const;
  std::uint16_t vls_in_use(const Port& port, unsigned data_vls) const;
  void repaired(std::string what, const Port& port);

  const Fabric& fabric_;
  const Routes& routes_;
  std::array<QosTables, kQosTargetCount> tables_;
  bool maps_are_used_;
  bool maps_by_port_;  // whether the engine has maps by port
  std::uint16_t sls_in_use_ = 0;
  std::vector<Repair> repairs_;
};

}  // namespace weft
