// The list of ports that `ibnetdiscover -p` prints, one line a port:
//   CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'host' - 'switch' )
//   SW  2052 37 0x506b4b03005c2740 4x ???                                    'switch'
// It names CAs by port GUID. The node GUID is taken from the progress lines of -s where they are in
// the file; else it is the port GUID, except that ports of one name whose GUIDs count up from one
// number are ports of one CA. How many ports a node has is not told: as many as the highest
// mentioned.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_port_list(std::string_view head);
Status read_port_list(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                      Warnings& warnings);

}  // namespace weft
