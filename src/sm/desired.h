// What the subnet should hold: LIDs, the parameters of every port and switch, P_Keys, the tables
// of lanes, alias GUIDs, and the forwarding tables.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "ib/port_info.h"
#include "routes/routes.h"
#include "sm/alias_guids.h"
#include "sm/guid2lid.h"
#include "sm/lanes.h"
#include "sm/observed.h"
#include "sm/options.h"
#include "sm/partitions.h"

namespace weft {

struct Desired {
  Fabric fabric;  // as observed, with the LIDs that its endports shall have
  Routes routes;
  Lid sm_lid;
  std::vector<bool> reregister{};  // by PortId: ask to register again; empty: none
  LanePlan lanes{};
  PkeyPlan pkeys{};
  AliasGuids aliases{};
  std::uint8_t sm_sl = 0;              // of packets to the manager, where the routes name no SLs
  std::vector<PortId> to_take_down{};  // ports whose links get other parameters (link_changes.h)
};

/// LIDs for all endports. `memory` (guid2lid) goes before what the ports hold; new ones are the
/// lowest free that no absent GUID of the memory owns, as long as there are such. `memory` is
/// brought up to date. Fails with kBadInput when the LIDs do not suffice.
Result<Fabric> assign_subnet_lids(const Observed& observed, const SmOptions& options,
                                  LidMemory& memory);

/// What a Set of "enabled" widths or speeds carries: 0 where the port already is as the option
/// wants it (or the option leaves it alone), else the option. `all` is the value that stands for
/// everything supported.
std::uint8_t forced_mask(std::uint8_t option, std::uint8_t all, std::uint8_t supported,
                         std::uint8_t enabled);

/// PortInfo as a Set should write it, state and physical state left alone: what the manager
/// decides, and for the rest what the port said; a port that holds another M_Key than it should
/// keeps it, since a change of keys is a step of its own. ClientReregister is left out: see
/// owes_reregistration().
PortInfo desired_port(const Observed& observed, const Desired& desired, const SmOptions& options,
                      NodeId node, PortNum port);

/// MasterSMSL of an endport: the SL that the routes name for its packets to the manager.
std::uint8_t master_sm_sl(const Desired& desired, EndportId endport);

/// True where the port has to be asked to register again.
bool owes_reregistration(const Desired& desired, NodeId node, PortNum port);

/// True where the port holds another M_Key than it should: `held` is what it says.
bool changes_key(const PortInfo& held, const Desired& desired, const SmOptions& options,
                 NodeId node, PortNum port);
/// Replaces key, protection and lease by the configured ones.
void set_key(PortInfo& info, const SmOptions& options);

/// The block of VL arbitration that NodeLaneTables names so; it must be planned.
VlArbTable planned_arbitration(const Desired& desired, NodeId node, std::uint16_t index);

SwitchInfo desired_switch(const Observed& observed, const Desired& desired,
                          const SmOptions& options, SwitchId sw);

}  // namespace weft
