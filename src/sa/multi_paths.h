// MultiPathRecord: paths from any of some ports to any of others, in one question.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.20.
#pragma once

#include "sa/query.h"

namespace weft::sa {

struct State;

std::uint16_t multi_path_records(State&, const SaQuery& query, SaAnswer& answer);
/// By any method but GetMulti.
std::uint16_t misplaced_multi_path(State&, const SaQuery& query, SaAnswer& answer);

}  // namespace weft::sa
