// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ibnetdiscover's topology text, written by ibnetdiscover, by ibdiagnet or by hand. Lines that are
// not nodes, ports or GUIDs (shell prompts, messages of other programs) are skipped with a warning,
// except comments, progress lines and the headlines of -g; LIDs, GUIDs and rates that cannot be
// parsed are dropped with a warning; a node or port line that cannot be parsed is an error, since
// the fabric would be incomplete.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"
#include "fabric/formats/write.h"

namespace weft {

bool looks_like_ibnetdiscover(std::string_view head);
Status read_ibnetdiscover(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                          Warnings& warnings);

/// Writes each cable from both ends, each node once, switches first. Properties that the format
/// cannot contain (MTU, GUIDs of unconnected ports) are lost.
void write_ibnetdiscover(const Fabric& fabric, const Append& append);

}  // namespace weft
