// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwarding tables embedded in the page. They are divided into chunks by destination, so that one
// path needs one chunk. Each chunk is compressed with deflate and encoded in base64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// Limit of the base64 text of the tables of one run. For larger tables the page has no path
/// explorer for the run.
inline constexpr std::size_t kPackedMax = std::size_t{24} << 20;
inline constexpr std::size_t kPackedLids = 64;  // destinations in a chunk

struct PackedTables {
  bool too_large = false;  // the tables exceed the limit; there are no chunks
  bool with_sl = false;
  /// A chunk holds, for each of its LIDs in order, the output port of every switch by SwitchId
  /// (255: none), and, if with_sl is true, the SL of packets from hosts of every switch.
  std::vector<std::string> chunks;
};

/// The LIDs of all hosts: all LIDs of each of Fabric::hosts(), in the order of EndportId.
std::vector<Lid> host_lids(const Fabric& fabric);

/// Packs the tables. The result does not depend on the number of threads.
PackedTables pack_tables(const Fabric& fabric, const Routes& routes, unsigned threads,
                         std::size_t size_max = kPackedMax);

/// Compresses with raw deflate and encodes in base64.
std::string pack(const std::vector<std::uint8_t>& bytes);

}  // namespace weft
