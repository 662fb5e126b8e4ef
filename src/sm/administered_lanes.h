// The administrator's keys for QoS (qos.h) on a fabric: what SL2VL and arbitration they make for
// which port. VLs that a port does not operate fold onto those it does, so ports that operate
// different numbers of VLs hold different maps.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/lanes.h"
#include "sm/observed.h"
#include "sm/qos.h"
#include "sm/route_chain.h"

namespace weft {

/// Which keys a port heeds.
QosTarget target_of(const Fabric& fabric, const Port& port);

/// SL2VL between the ports of switches as the keys have it; verify() judges routes with it before
/// they are used. Outputs to cables heed qos_swe_sl2vl, enhanced ports 0 qos_sw0_sl2vl.
WantedMaps administered_maps(const Observed& observed, const Fabric& fabric, const QosOptions& qos,
                             VlLimit limit);

/// Arbitration by the keys, as long as the port's tables are.
PortArbitration administered_arbitration(const QosTables& tables, unsigned data_vls,
                                         unsigned low_cap, unsigned high_cap);

/// VLs with weight, as a mask.
std::uint16_t vls_with_weight(const PortArbitration& arbitration);

/// Arbitration and end nodes' maps of one subnet under -Q: the keys, but for what the routes cannot
/// live with, which is repaired, with a note that says so.
class AdministeredPorts {
 public:
  AdministeredPorts(const Observed& observed, const Fabric& fabric, const Routes& routes,
                    const QosOptions& qos, VlLimit limit);

  /// The routes were judged with the keys' SL2VL. Otherwise their engine's own is programmed, at
  /// end nodes too.
  bool maps_are_used() const { return maps_are_used_; }
  /// Of a port of an end node: what its keys say, or the routes' own map.
  SlMap end_map(const Port& port, unsigned data_vls);
  PortArbitration arbitration(const Port& port, const PortInfo& info, unsigned data_vls);
  /// What was repaired.
  std::vector<std::string> notes() const;

 private:
  struct Repair {
    std::string what;  // up to the ports
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
  bool maps_by_port_;  // the engine's own
  std::uint16_t sls_in_use_ = 0;
  std::vector<Repair> repairs_;
};

}  // namespace weft
