// Files that stand beside fabric files and hold no fabric: forwarding tables, service levels,
// configurations. Recognised so that a message can say what was given.
#pragma once

#include <string_view>

namespace weft {

/// What a file that begins with `head` is: "a dump of forwarding tables (opensm.fdbs)"; empty where
/// it is none of the known files.
std::string_view other_file(std::string_view head);

}  // namespace weft
