// GUIDInfoRecord: the GUIDs of each port, eight in a block. Index 0 is the port's own; the others
// are aliases, which only a port that is virtualized has.
#pragma once

#include "sa/query.h"

namespace weft::sa {

struct State;

std::uint16_t guid_info_records(State&, const SaQuery& query, SaAnswer& answer);

}  // namespace weft::sa
