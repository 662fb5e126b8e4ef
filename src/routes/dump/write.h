// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text files of routes of OpenSM 3.3 and ibdmchk, byte for byte as OpenSM 3.3.23 writes them
// for the same tables. Every writer streams.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/formats/write.h"
#include "routes/routes.h"

namespace weft {

/// opensm.fdbs: by switch and LID the port, the hop count, and whether there is a shorter path.
/// OpenSM takes hops from its engine's own matrix and calls a detour of up/down optimal; here they
/// are counted through the tables and compared with the shortest path in the fabric. For an
/// unreachable LID, hops are those of the shortest path through that port.
void write_fdbs(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-lfts.dump: the input of OpenSM's engine "file".
void write_lfts(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-lid-matrix.dump: for each pair of switches the hop count through each port.
void write_lid_matrix(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm.mcfdbs: by switch the ports of each multicast LID.
void write_mcfdbs(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-sl2vl.dump: the SLtoVL tables of all endports and switches.
void write_sl2vl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.psl, for ibdmchk -c: "0xSOURCE_NODE_GUID DLID SL" for each source and each LID of CAs and
/// of switches. Sources are the CAs, then port 0 of the switches; ibdmchk reads the rows of
/// switches and checks CAs only. The format does not have the source's port: a CA's rows are those
/// of its first port cabled to a switch; another port's SLs are in the rows of its switch.
void write_psl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.msl: "0xMLID SL" for each multicast LID with an SL of its own.
void write_multicast_sl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.slvl, for ibdmchk -d: "0xSWITCH_GUID IN OUT" and eight bytes with the VLs of two SLs each.
void write_slvl(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-ftree-ca-order.dump: compute nodes in the order that ftree's tables are made for, a base
/// LID and a name per line, 0xFFFF and DUMMY if a leaf has fewer than others. Empty for other
/// engines.
void write_ca_order(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.ar: by switch its groups of ports and the ranges of LIDs with an adaptive entry; all others
/// are static. Empty for routes that are not adaptive.
void write_adaptive(const Fabric& fabric, const Routes& routes, const Append& append);

inline constexpr std::string_view kPathSlFile = "weft.psl";
inline constexpr std::string_view kMulticastSlFile = "weft.msl";
inline constexpr std::string_view kAdaptiveFile = "weft.ar";
inline constexpr std::string_view kCaOrderFile = "opensm-ftree-ca-order.dump";

struct DumpFile {
  std::string_view name;
  void (*write)(const Fabric& fabric, const Routes& routes, const Append& append);
};

/// All of the above by file name.
std::span<const DumpFile> dump_files();

}  // namespace weft
