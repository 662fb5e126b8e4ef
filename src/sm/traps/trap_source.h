// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether a trap's sender may report what its notice says. Every port can send any notice; its
// source LID leads to the port that the manager assigned it to, so it is compared with the LIDs and
// ports that the notice names.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.1, which agent sends
// what.
#pragma once

#include <string>

#include "fabric/fabric.h"
#include "ib/notice.h"

namespace weft {

/// Why the endport may not send this notice, to follow the description of the trap; empty: it may.
/// LID 0 in the details names the sender itself.
std::string objection_to(const Notice& notice, const Fabric& fabric, EndportId sender);

}  // namespace weft
