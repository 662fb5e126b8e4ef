// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The port that sends from a LID: a port with LMC n has 2^n LIDs, and the virtual ports of a CA
// port may have LIDs of their own. Limits apply to the port, not to each of its LIDs.
#pragma once

#include <functional>

#include "ib/ids.h"

namespace weft {

/// The base LID of the port that sends from a given LID; the LID itself if it is not assigned.
using PortOf = std::function<Lid(Lid)>;

inline Lid same_lid(Lid lid) { return lid; }

}  // namespace weft
