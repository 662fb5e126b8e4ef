// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MLNX ExtendedPortInfo, as far as the behavior of devices with it is known. mad_status.h describes
// what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/links.h"
#include "emulator/model.h"
#include "ib/vendor/unhealthy_reason.h"

namespace weft::emulator {

/// True if the node sends no response to this attribute: with ExtendedPorts::kIgnored, and if it
/// announces recovery of ports without a response to the settings.
bool ignores_extended_port_info(const Model& model, const Smp& smp, Place at);

/// ExtendedPortInfo of a port; the node must support it.
SmpData extended_port_info(const Model& model, NodeId node, PortId port);
/// Sets the reason for which the switch considers its port unhealthy.
void set_unhealthy_reason(Model& model, PortId port, UnhealthyReason reason);

/// Sets the event that the switch has recovered its port.
void set_port_recovered(Model& model, PortId port);

/// A Set of speeds takes effect only with StateChangeEnable: then the link retrains if its speeds
/// change. Other fields are stored, except the reason and the event of recovery, which the switch
/// itself sets; a Set may clear the event.
MadStatus serve_extended_port_info(Model& model, Links& links, Smp& smp, Place at);

}  // namespace weft::emulator
