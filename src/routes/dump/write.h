// The text files that OpenSM 3.3 and ibdmchk know routes by, written as OpenSM 3.3.23 writes them:
// the same bytes where the tables are the same. Every writer streams.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/formats/write.h"
#include "routes/routes.h"

namespace weft {

/// opensm.fdbs: switch by switch and LID by LID the port, the hops to the end of the way, and
/// whether there is a shorter one. OpenSM takes hops from its engine's own matrix and calls a
/// detour of up/down optimal; here they are walked through the tables and compared with the
/// shortest way in the fabric. Where a walk does not arrive, hops are what they would be by way of
/// that port.
void write_fdbs(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-lfts.dump: what OpenSM's engine "file" reads.
void write_lfts(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-lid-matrix.dump: for each pair of switches the least hops by way of each port.
void write_lid_matrix(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm.mcfdbs: switch by switch the ports of each multicast LID.
void write_mcfdbs(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-sl2vl.dump: the SLtoVL tables of all endports and switches.
void write_sl2vl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.psl, for ibdmchk -c: "0xSOURCE_NODE_GUID DLID SL" for each source and each LID of CAs and
/// of switches. Sources are the CAs, then port 0 of the switches; ibdmchk reads the rows of
/// switches and checks CAs only. The format has no port of the source: a CA's rows are those of its
/// first port that is cabled to a switch; another port's SLs are in the rows of its switch.
void write_psl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.msl: "0xMLID SL" for each multicast LID whose packets must use an SL of their own.
void write_multicast_sl(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.slvl, for ibdmchk -d: "0xSWITCH_GUID IN OUT" and eight bytes with the VLs of two SLs each.
void write_slvl(const Fabric& fabric, const Routes& routes, const Append& append);

/// opensm-ftree-ca-order.dump: compute nodes in the order that ftree's tables are made for, a base
/// LID and a name a line, 0xFFFF and DUMMY where a leaf has fewer than others. Of other engines'
/// routes: nothing.
void write_ca_order(const Fabric& fabric, const Routes& routes, const Append& append);

/// weft.ar: by switch its groups of ports and the runs of LIDs that it chooses by load for; what
/// is not named is static. Of routes that are not adaptive: nothing.
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
