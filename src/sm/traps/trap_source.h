// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks whether the sender of a trap may report the content of its notice. Any port can send any
// notice; the source LID identifies the port to which the manager assigned it, and this port is
// compared with the LIDs and ports in the notice.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.1, which defines the
// agents that send each trap.
#pragma once

#include <string>

#include "fabric/fabric.h"
#include "ib/notice.h"

namespace weft {

/// Why the endport may not send this notice, as text after the description of the trap; empty if
/// the notice is allowed. LID 0 in the details stands for the LID of the sender. Vendor-specific
/// notices are always allowed.
std::string objection_to(const Notice& notice, const Fabric& fabric, EndportId sender);

}  // namespace weft
