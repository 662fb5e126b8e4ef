// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The connection of a subnet manager to its fabric: its transports and its clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/sm/sm_arguments.h"
#include "emulator/emulated_fabric.h"
#include "fabric/fabric.h"
#include "ib/gmp_transport.h"
#include "ib/transport.h"
#include "service/config/settings.h"
#include "transport/umad_transport.h"

namespace weft::cli {

/// The transport and clock of the manager: an emulated fabric with a virtual clock, or a port of
/// this machine with the real clock.
struct Attachment {
  std::unique_ptr<Fabric> fabric;  // fabric that is emulated
  std::unique_ptr<EmulatedFabric> emulated;
  std::unique_ptr<UmadTransport> device;
  RealClock real_clock;
  SmpTransport* transport = nullptr;
  GmpTransport* queries = nullptr;      // for the SA; null: queries are not answered
  GmpTransport* counters = nullptr;     // for the performance manager; null: disabled
  GmpTransport* congestion = nullptr;   // for congestion control and its keys; null: disabled
  GmpTransport* vendor_keys = nullptr;  // for keys of class 0x0A; null: disabled
  GmpTransport* node_keys = nullptr;    // for keys of class 0x0C; null: disabled
  const Clock* clock = nullptr;
  Guid port_guid;                     // of the port of the manager
  std::vector<PortNum> more_ports{};  // further ports of the CA through which the manager sends
  std::string where;                  // the port and its fabric or device, for the log
};

/// Builds the emulated fabric of --emulate and attaches to the port with the GUID of the setting
/// `guid`; 0: to the first CA or router port, else to the first switch. Fails if the fabric cannot
/// be read or has no such port.
Result<std::unique_ptr<Attachment>> attach_to_emulation(const SmArguments& arguments,
                                                        const Settings& settings);

/// Attaches to a port of this machine. `serves`: also registers for SA queries and, if they are
/// enabled, for the GMPs of the performance manager, congestion control and key managers.
Result<std::unique_ptr<Attachment>> attach_to_device(const Settings& settings, bool serves);

}  // namespace weft::cli
