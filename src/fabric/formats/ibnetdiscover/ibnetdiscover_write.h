// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes a node's record in the common grammar of ibnetdiscover and ibsim.
#pragma once

#include <string>

#include "fabric/fabric.h"
#include "fabric/formats/write.h"

namespace weft {

struct NetTextStyle {
  /// A faster link is written with this speed, followed by its real rate in parentheses: (4xNDR).
  LinkSpeed speed_max = LinkSpeed::kXdr;
};

/// Writes a blank line, the key lines, the node line, and a line for each connected port.
void write_net_record(const Fabric& fabric, NodeId id, const NetTextStyle& style,
                      const Append& append);

/// The description without control characters, which would break lines.
std::string net_text_name(const Node& node);

}  // namespace weft
