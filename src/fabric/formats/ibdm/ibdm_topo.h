// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads ibdm's two formats: topologies (.topo), which name systems and the cables between their
// front panels,
//
//   MTS14400 SL1-1 CFG: leaf3=R
//     L1/P1 -4x-5G-> MT23108 H-1 P1
//
// and system definitions (.ibnl), each read as a single system. Systems are expanded into chips,
// named SYSTEM/BOARD/CHIP as ibdm does. Grammar: man ibdm-topo-file. GUIDs are generated, see
// docs/reference/formats.md.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_ibdm_topo(std::string_view head);

/// A cable may be listed at both ends or at one end. System types are searched for in
/// ibnl_folders(), then among the systems that are built into Weft. A type found in neither is read
/// as a switch of one chip, with a warning, if all its plugs in use are P1 to Pn and n is at least
/// 3; else the function fails.
Status read_ibdm_topo(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                      Warnings& warnings);

bool looks_like_ibnl(std::string_view head);

/// Reads the chassis in its default configuration; the system has the first name of the chassis.
Status read_ibnl(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                 Warnings& warnings);

}  // namespace weft
