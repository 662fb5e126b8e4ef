// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The list of ports that `ibnetdiscover -p` prints, one line per port:
//   CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'host' - 'switch' )
//   SW  2052 37 0x506b4b03005c2740 4x ???                                    'switch'
// CAs are listed by port GUID. The node GUID is taken from the progress lines of -s if the file has
// them; else it is the port GUID, except that ports with the same name are ports of one CA if their
// GUIDs minus their port numbers are equal: this difference is then the node GUID. The number of
// ports of a node is the highest port number mentioned.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_port_list(std::string_view head);
Status read_port_list(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                      Warnings& warnings);

}  // namespace weft
