// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads InfraGraph (Keysight/infragraph), JSON or YAML: instances of devices, and edges between
// their components. Devices that contain a NIC or an accelerator are hosts; instances of all other
// devices are switches. Connections between components within a device (PCIe, NVLink) are not part
// of the fabric.
//
//   instances: [{name: host, device: dgx, count: 4}, {name: leaf, device: switch, count: 8}]
//   edges: [{ep1: {instance: "host[0:4]", component: "nic[0]"},
//            ep2: {instance: "leaf[0]", component: "port[0:4]"}, scheme: one2one, link: ndr}]
#pragma once

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_infragraph(std::string_view head);

/// The adapters of a host that edges name become its CAs, `host.0 nic.3`; a switch becomes
/// `leaf.0`, and its component `port` K is port K + 1. GUIDs are generated. Fails with kBadInput on
/// unknown devices, instances, components, links and schemes, slices beyond a count, rates that are
/// not positive numbers, and ports with two cables; the message names the line and the object,
/// except for a file without switches and edges.
Status read_infragraph(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                       Warnings& warnings);

}  // namespace weft
