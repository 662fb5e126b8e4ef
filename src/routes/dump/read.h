// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads routes of any subnet manager for a fabric, recognized by content: the dumps of OpenSM and
// ibroute, and the input files of ibdmchk. LIDs are those of the fabric. Files are plain or gzipped
// text; "-" is standard input. Messages begin with "FILE:LINE: ", or with "FILE: " if they are not
// about one line.
//
// An entry with a switch, LID or port that is not in the fabric causes a warning and is omitted.
// But a nonexistent output port stays in a forwarding table, in multicast tables and, without a
// warning, in AR groups, so that `verify` reports the lost packets. A truncated line is an error
// (kBadInput), and so is a file of which no entry belongs to the fabric. Files for read_mfts(),
// read_psl(), read_multicast_sl() and read_adaptive() may be empty.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/formats/format.h"
#include "routes/routes.h"

namespace weft {

/// Reads forwarding tables: opensm.fdbs, opensm-lfts.dump, the output of dump_lfts or of ibroute,
/// or rows of an OMNeT++ model ("INDEX: PORT PORT ..", ports from 0, LIDs from 0), as one file for
/// all switches or a folder of files; or one graph with routes in the format of ORCS (dot.h).
/// Entries that are in no file are kNoRoute. Fails with kBadInput or kEnvironment.
Result<Lfts> read_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// Reads opensm.mcfdbs. An empty file means no multicast.
Result<Mfts> read_mfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// Reads lines "0xSOURCE_NODE_GUID DLID SL"; the source is a CA, router or switch. Two sources at
/// one switch must have the same SL to a LID. The line of a CA applies to its first port at a
/// switch. It also applies to each other port if no other source at the switch of that port has a
/// line. Pairs without a line have SL 0.
Result<PathSl> read_psl(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// Reads lines "0xMLID SL", at most one for each multicast LID. Multicast LIDs are not compared
/// with the fabric.
Result<std::map<Lid, Sl>> read_multicast_sl(const Fabric& fabric, const std::string& path,
                                            Warnings& warnings);

/// Reads opensm-sl2vl.dump, or "0xSWITCH_GUID IN OUT" with eight bytes of two VLs each. Pairs of
/// ports without a line use the table of the first line of a node of the fabric; all CAs and
/// routers use the table of the first CA or router, or of the first line if there is neither.
Result<Sl2Vl> read_slvl(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// Reads weft.ar: groups, sub-groups, adaptive entries and private tables; all other entries are
/// static.
Result<ArTables> read_adaptive(const Fabric& fabric, const std::string& path, Warnings& warnings);

}  // namespace weft
