// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of a whole tree by closed form: for engine ftree on any tree, and on nearly regular trees
// for the engines that use trees/tree_form.h.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "routes/lfts.h"
#include "routing/trees/equivalent_switches.h"
#include "routing/trees/hops.h"
#include "routing/trees/order.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// Is called for each block of destination sets with the hop counts to these sets. An error stops
/// the computation.
using VisitHops = std::function<Status(std::uint32_t first, std::uint32_t count, const Hops& hops)>;

/// Computes rows by rows.h and copies them for equivalent switches. Fails only as `visit` does.
Result<Lfts> fill_tables(const Tree& tree, const Destinations& destinations,
                         const EquivalentSwitches& equivalents, Paths paths, Lid top,
                         unsigned threads, const VisitHops& visit = {});

}  // namespace weft::ftree
