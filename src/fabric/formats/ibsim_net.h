// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ibsim's nets: the grammar of ibnetdiscover's text with free node ids ("Hca1"), `include FILE`,
// and console commands. A file name is relative to the including file, or else to the working
// directory. Commands (`do link ...`) are skipped with a warning. Any other line is an error, as in
// ibsim.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"
#include "fabric/formats/write.h"

namespace weft {

/// Whether the text has a node id that does not begin with S-, H- or R-, an `Hca` line or an
/// `include`.
bool looks_like_ibsim_net(std::string_view head);
Status read_ibsim_net(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                      Warnings& warnings);

/// Writes a net that ibsim loads. A CA is first, because ibsim connects its clients to the first
/// node. ibsim uses the node GUIDs and LIDs of the file, but not the port GUIDs of a CA: they are
/// consecutive numbers after the node GUID. Links faster than HDR, which ibsim does not support,
/// are written as HDR, followed by the real rate for Weft's reader.
void write_ibsim_net(const Fabric& fabric, const Append& append);

}  // namespace weft
