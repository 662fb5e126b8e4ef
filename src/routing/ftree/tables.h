// Tables of a whole tree by closed form: what engine ftree makes of any tree, and engines minhop,
// updn and dnup of nearly regular ones (shared/tree_form.h).
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "routes/lfts.h"
#include "routing/ftree/hops.h"
#include "routing/ftree/order.h"
#include "routing/ftree/tree.h"
#include "routing/ftree/twins.h"

namespace weft::ftree {

/// Called for each block of sets of twins with the hops to these; an error ends the filling.
using LookAtHops =
    std::function<Status(std::uint32_t first, std::uint32_t count, const Hops& hops)>;

/// Rows by rows.h, those of twins copied; errors are those of `look`, if there is one.
Result<Lfts> fill_tables(const Tree& tree, const Destinations& destinations, const Twins& twins,
                         Paths paths, Lid top, unsigned threads, const LookAtHops& look = {});

}  // namespace weft::ftree
