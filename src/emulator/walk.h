// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path of an SMP or a data packet through the fabric in its current state: of an SMP by
// directed route, by LID through the switches' forwarding tables, or by both; of a data packet by
// LID. Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.2.
#pragma once

#include <optional>

#include "emulator/counters.h"
#include "emulator/model.h"
#include "ib/smp.h"

namespace weft::emulator {

struct Place {
  NodeId node;
  PortNum port;  // receiving port; at the origin, the port of the agent
};

struct Walk {
  std::optional<Drop> drop;
  Place end;
  unsigned hops = 0;
};

/// Moves an SMP from its sender to the receiving agent or SM, and updates its hop pointer and
/// return path like the nodes on the path. The fields of the SMP determine the direction: a new
/// request has hop pointer 0, a response has hop pointer HopCount + 1. Cost: O(hops).
Walk walk(const Model& model, Smp& smp, Place from);

/// The path of a data packet of a flow to a LID by the forwarding tables, over ACTIVE links.
Walk walk_data(const Model& model, Lid to, Place from, const PacketFlow& flow = {});
/// The flow of an unreliable datagram between two LIDs, as of each MAD.
PacketFlow datagram_flow(Lid from, Lid to, Sl sl);

}  // namespace weft::emulator
