// A fabric as JSON: everything that Fabric holds, so that reading gives an equal fabric back.
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
// `type` is switch, ca or router; GUIDs are strings of hex digits; `a` and `b` are node GUIDs. A
// node's `ports` names port 0 of switches, every connected port, and others that differ from the
// defaults shown (no LID; GUID the node's on a switch, else the node's plus the port number). A
// description that is not UTF-8 also has its bytes in "description_hex". Readers must skip keys
// that they do not know; `version` grows when an old reader would misunderstand.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"
#include "fabric/formats/write.h"

namespace weft {

bool looks_like_fabric_json(std::string_view head);

/// Keys may come in any order, and in lines of any shape up to LineReader::kLineMax. Required are
/// format, version, nodes; of a node type, guid, port_count; of a link a, a_port, b, b_port.
Status read_fabric_json(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                        Warnings& warnings);

/// One node and one link a line.
void write_fabric_json(const Fabric& fabric, const Append& append);

}  // namespace weft
