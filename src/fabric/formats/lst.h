// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Subnet lists (.lst): a line per cable, `{ node and port } { node and port } PHY=4x LOG=ACT
// SPD=2.5`, as OpenSM writes opensm-subnet.lst, and ibutils and ibdiagnet read and write. Numbers
// are hexadecimal, except the lane speed in Gbit/s.
#pragma once

#include "fabric/formats/format.h"
#include "fabric/formats/write.h"

namespace weft {

bool looks_like_lst(std::string_view head);

/// A file may list each cable once or twice. Types may be wrong: a "CA" with more than four ports,
/// or with three or four ports and a switch's name, is read as a switch, with one warning for all
/// such nodes. IDs of zero, which OpenSM prints for some peers, are replaced by the IDs of another
/// line.
Status read_lst(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                Warnings& warnings);

/// Writes the same bytes as OpenSM 3.3.23: nodes in the order of OpenSM, every cable from both
/// ends, the node of `sm` marked as that of the subnet manager.
void write_lst(const Fabric& fabric, EndportId sm, const Append& append);
inline void write_lst(const Fabric& fabric, const Append& append) {
  write_lst(fabric, kNoEndport, append);
}

}  // namespace weft
