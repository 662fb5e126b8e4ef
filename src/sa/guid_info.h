// GUIDInfoRecord: the GUIDs of each port, eight in a block. Index 0 is the port's own GUID; the
// others are aliases, which clients set and delete one by one.
// Source: InfiniBand Architecture Specification, volume 1, chapters 14.2.5.5 and 15.2.5.18.
#pragma once

#include "sa/query.h"

namespace weft::sa {

struct State;

std::uint16_t guid_info_records(State& state, const SaQuery& query, SaAnswer& answer);
/// A GUID of 0 requests one: the alias already assigned, else a new one. A GUID that another port
/// holds is not set; the answer contains the GUIDs that the port has.
std::uint16_t set_guids(State& state, const SaQuery& query, SaAnswer& answer);
std::uint16_t delete_guids(State& state, const SaQuery& query, SaAnswer& answer);

}  // namespace weft::sa
