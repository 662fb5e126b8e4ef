// Reads routes that somebody else made onto a fabric, by content: what OpenSM and ibroute dump, and
// what ibdmchk reads. LIDs are those of the fabric. Plain or gzipped text; "-" is standard input. A
// message begins with "FILE:LINE: ".
//
// What the fabric does not know (a switch, a LID, a port) is a warning and its entry is left out,
// but for ports: a port that a switch does not have stays in the table, where `verify` finds that
// packets die. A file of which nothing belongs to the fabric is an error, and so is a line that is
// cut short, since what it said is lost.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/formats/format.h"
#include "routes/routes.h"

namespace weft {

/// Forwarding tables: opensm.fdbs, opensm-lfts.dump, the output of dump_lfts or of ibroute, or rows
/// of an OMNeT++ model
/// ("INDEX: PORT PORT ..", ports from 0, LIDs from 0), one file for all switches or a folder of
/// files; or one graph with routes as ORCS reads it (dot.h). Entries that no file holds are
/// kNoRoute.
Result<Lfts> read_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// opensm.mcfdbs. An empty file is fine: no multicast.
Result<Mfts> read_mfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// "0xSOURCE_NODE_GUID DLID SL" a line; the source is a CA or a switch. Two sources at one switch
/// must have the same SL to a LID. A CA's line is for its first port, and for the others where no
/// other source at their switch has a line. Pairs without a line have SL 0.
Result<PathSl> read_psl(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// "0xMLID SL" a line, at most one for each multicast LID.
Result<std::map<Lid, Sl>> read_multicast_sl(const Fabric& fabric, const std::string& path,
                                            Warnings& warnings);

/// opensm-sl2vl.dump, or "0xSWITCH_GUID IN OUT" with eight bytes of two VLs each. Pairs of ports
/// without a line use the table of the file's first line; end nodes that of the first end node, or
/// of the first line where the file has none.
Result<Sl2Vl> read_slvl(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// weft.ar: groups and adaptive entries; what it does not name is static.
Result<ArTables> read_adaptive(const Fabric& fabric, const std::string& path, Warnings& warnings);

}  // namespace weft
