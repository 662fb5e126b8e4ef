// Subnet lists (.lst): a line a cable, `{ node and port } { node and port } PHY=4x LOG=ACT
// SPD=2.5`, as OpenSM writes opensm-subnet.lst and ibutils and ibdiagnet read and write it. Numbers
// are hex, but for the speed of a lane in Gbit/s.
#pragma once

#include "fabric/formats/format.h"
#include "fabric/formats/write.h"

namespace weft {

bool looks_like_lst(std::string_view head);

/// Cables may stand once or twice. Types are not always true: a "CA" with more ports than any has,
/// or with the name of a switch, is one, with a warning for all of them. IDs of zero, which OpenSM
/// prints for some far ends, give way to what another line says.
Status read_lst(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                Warnings& warnings);

/// The very bytes of OpenSM 3.3.23: nodes in its order, every cable from both ends, `sm` marked.
void write_lst(const Fabric& fabric, EndportId sm, const Append& append);
inline void write_lst(const Fabric& fabric, const Append& append) {
  write_lst(fabric, kNoEndport, append);
}

}  // namespace weft
