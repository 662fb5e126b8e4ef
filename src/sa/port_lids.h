// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The LIDs of a port: a port with LMC n sends from 2^n LIDs. Limits apply to the port, not to each
// of its LIDs.
#pragma once

#include <functional>

#include "ib/ids.h"

namespace weft {

struct PortLids {
  Lid first;
  Lid last;
};

/// The LIDs of the port with a given LID; that LID alone if it is not assigned.
using PortLidsOf = std::function<PortLids(Lid)>;

inline PortLids single_lid(Lid lid) { return {lid, lid}; }

}  // namespace weft
