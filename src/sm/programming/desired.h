// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The target state of the subnet: LIDs, parameters of every port and switch, P_Keys, SL2VL and VL
// arbitration tables, alias GUIDs, and forwarding tables.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "ib/port_info.h"
#include "routes/routes.h"
#include "sm/lids/alias_guids.h"
#include "sm/lids/guid2lid.h"
#include "sm/observed.h"
#include "sm/options.h"
#include "sm/partitions/partitions.h"
#include "sm/programming/link_changes.h"
#include "sm/qos/lanes.h"

namespace weft {

struct Desired {
  Fabric fabric;  // as observed, with the LIDs to be assigned
  Routes routes;
  Lid sm_lid;                      // LID of the manager's own port
  std::vector<EndportId> sm_at{};  // by switch: the manager's endport in its plane; empty: one port
  std::vector<bool> reregister{};  // by PortId: ClientReregister is due; empty: for no port
  LanePlan lanes{};
  PkeyPlan pkeys{};
  AliasGuids aliases{};
  std::uint8_t sm_sl = 0;               // SL of packets to the manager, if the routes assign no SLs
  std::vector<LinkParameters> links{};  // by PortId; empty: computed where they are needed
  std::vector<PortId> to_take_down{};   // ports with new link parameters (link_changes.h)
};

/// The LID of the manager to which an endport sends its packets.
Lid sm_lid_of(const Desired& desired, const Endport& endport);
/// The value of Desired::sm_at; empty if the manager sends by one port only.
std::vector<EndportId> manager_by_switch(const Observed& observed, const Fabric& fabric);

/// Assigns LIDs to all endports. LIDs in `memory` (guid2lid) take precedence over the LIDs that
/// ports have. A new LID is the lowest free LID, preferably not recorded for an absent GUID. With
/// reassign_lids, all LIDs are new. Updates `memory`. Fails with kBadInput if there are not enough
/// LIDs.
Result<Fabric> assign_subnet_lids(const Observed& observed, const SmOptions& options,
                                  LidMemory& memory);

/// Value for LinkWidthEnabled or a LinkSpeedEnabled field in a Set: 0 if the port already matches
/// the option, supports no value of the option, or if the option requires no change; otherwise the
/// supported values of the option, or `all`, or 30 for "none". `all` is the code for every
/// supported value.
std::uint8_t forced_mask(std::uint8_t option, std::uint8_t all, std::uint8_t supported,
                         std::uint8_t enabled);

/// PortInfo for a Set without change of port state and physical state. Fields that the manager
/// controls are as desired, all others as the port returned them. The M_Key is the current key,
/// because keys change in a separate phase. ClientReregister is not set: see
/// needs_reregistration().
PortInfo desired_port(const Observed& observed, const Desired& desired, const SmOptions& options,
                      NodeId node, PortNum port);

/// MasterSMSL of an endport: the SL that the routes assign to its packets to the manager.
std::uint8_t master_sm_sl(const Desired& desired, EndportId endport);

/// True if the port needs ClientReregister.
bool needs_reregistration(const Desired& desired, NodeId node, PortNum port);

/// True if the port has an SMA, and the M_Key in `held`, the PortInfo of the port, differs from the
/// desired key.
bool changes_key(const PortInfo& held, const Desired& desired, const SmOptions& options,
                 NodeId node, PortNum port);
/// Replaces key, protection and lease by the configured values for a port with this GUID.
void set_key(PortInfo& info, const SmOptions& options, Guid port);

/// The block of VL arbitration with this index of NodeLaneTables; the port's arbitration must be
/// planned.
VlArbTable planned_arbitration(const Desired& desired, NodeId node, std::uint16_t index);

SwitchInfo desired_switch(const Observed& observed, const Desired& desired,
                          const SmOptions& options, SwitchId sw);

}  // namespace weft
