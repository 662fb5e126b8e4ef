// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that are often found beside fabric files but contain no fabric: forwarding tables, service
// levels, LIDs, partitions, configurations. These files are recognized so that an error message can
// state their kind.
#pragma once

#include <string_view>

namespace weft {

/// Describes a file that begins with `head`: "a dump of hop counts (opensm-lid-matrix.dump)"; empty
/// for files of unknown kinds.
std::string_view describe_non_fabric_file(std::string_view head);

}  // namespace weft
