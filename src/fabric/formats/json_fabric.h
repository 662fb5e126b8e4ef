// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric as JSON with all data of Fabric, so that reading it returns an equal fabric.
//
//   {"format": "weft-fabric", "version": 1,
//    "summary": {"switches": 1, "cas": 1, "links": 1},
//    "nodes": [{"type": "switch", "guid": "0x...", "system_guid": "0x...", "vendor_id": 713,
//               "device_id": 53000, "revision": 0, "port_count": 41, "enhanced_port0": true,
//               "description": "...",
//               "ports": [{"port": 0, "guid": "0x...", "lid": 1, "lmc": 0, "mtu": 2048,
//                          "data_vls": 8}, ...]}, ...],
//    "links": [{"a": "0x...", "a_port": 1, "b": "0x...", "b_port": 1, "width": "4x",
//               "speed": "HDR"}, ...]}
//
// `type` is switch, ca or router. GUIDs are strings of hex digits; `a` and `b` are node GUIDs.
// `ports` lists port 0 of switches, every connected port, and every port with a value that is not
// the default. Defaults are the values of `mtu` and `data_vls` above, no LID, and as GUID that of
// port 0 (switch) or that of the node plus the port number (CA, router). A description that is
// not UTF-8 also has its bytes in "description_hex". Readers must skip unknown keys; `version`
// changes when an old reader would misread the file.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"
#include "fabric/formats/write.h"

namespace weft {

bool looks_like_fabric_json(std::string_view head);

/// Keys may be in any order, in lines of at most LineReader::kLineMax bytes. Required are format,
/// version and nodes; for a node type, guid and port_count; for a port port; for a link a, a_port,
/// b and b_port.
Status read_fabric_json(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                        Warnings& warnings);

/// Writes one node or link per line.
void write_fabric_json(const Fabric& fabric, const Append& append);

}  // namespace weft
