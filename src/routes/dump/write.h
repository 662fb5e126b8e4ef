// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes routes to the text files of OpenSM 3.3, with the same bytes that OpenSM 3.3.23 writes for
// the same tables (except some hop counts, see write_fdbs()), to the input files of ibdmchk, and to
// files of Weft (weft.msl, weft.ar). Every writer appends the text in pieces.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/formats/write.h"
#include "routes/routes.h"

namespace weft {

/// opensm.fdbs: for each switch and LID the port, the hop count, and whether there is a shorter
/// path. OpenSM takes hop counts from the matrix of its engine, and calls a detour of up/down
/// routes optimal. Weft counts hops by the tables and compares them with the shortest path in the
/// fabric. For an unreachable LID, the hop count is that of the shortest path through the port.
void write_fdbs(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-lfts.dump: the input of OpenSM's engine "file".
void write_lfts(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-lid-matrix.dump: for each pair of switches the least hop count, and the hop count through
/// each port.
void write_lid_matrix(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm.mcfdbs: for each switch the ports of each multicast LID.
void write_mcfdbs(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-sl2vl.dump: the SLtoVL tables of all switches, and of all CA and router ports.
void write_sl2vl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.psl, for ibdmchk -c: "0xSOURCE_NODE_GUID DLID SL" for each source and each LID of CAs, of
/// routers and of switches. Sources are the CAs and routers, then port 0 of the switches; ibdmchk
/// reads the rows of switches, but checks only CAs. The format does not have the port of the
/// source. The rows of a CA apply to its first port that is cabled to a switch; the SLs of another
/// port are in the rows of the switch of that port.
void write_psl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.msl: "0xMLID SL" for each multicast LID in Routes::multicast_sl.
void write_multicast_sl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.slvl, for ibdmchk -d: "0xSWITCH_GUID IN OUT" and eight bytes with the VLs of two SLs each.
void write_slvl(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-ftree-ca-order.dump: the order of compute nodes for which ftree balances its tables. A
/// line has a base LID and a name, or 0xFFFF and DUMMY if a leaf has fewer nodes than others. Empty
/// for other engines.
void write_ca_order(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.ar: for each switch with adaptive entries or private tables, the groups and sub-groups of
/// ports, the ranges of LIDs with an adaptive entry, and the same for its private tables; all other
/// entries are static. Empty for routes that are not adaptive.
void write_adaptive(const Fabric& fabric, const Routes& routes, const Append& append);

inline constexpr std::string_view kPathSlFile = "weft.psl";
inline constexpr std::string_view kMulticastSlFile = "weft.msl";
inline constexpr std::string_view kAdaptiveFile = "weft.ar";
inline constexpr std::string_view kCaOrderFile = "opensm-ftree-ca-order.dump";

struct DumpFile {
  std::string_view name;
  void (*write)(const Fabric& fabric, const Routes& routes, const Append& append);
};

/// The files of all functions above, with their names.
std::span<const DumpFile> dump_files();

}  // namespace weft
