// MultiPathRecord: paths from several source ports to several destination ports in one query.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.20.
#pragma once

#include "sa/query.h"

namespace weft::sa {

struct State;

std::uint16_t multi_path_records(State&, const SaQuery& query, SaAnswer& answer);
/// Refuses every method but GetMulti.
std::uint16_t misplaced_multi_path(State&, const SaQuery& query, SaAnswer& answer);

}  // namespace weft::sa
