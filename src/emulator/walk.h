// The way of an SMP through the fabric as it is now: by directed route, by LID through the
// switches' forwarding tables, or by both. Source: InfiniBand Architecture Specification, volume 1,
// chapter 14.2.2.
#pragma once

#include <optional>

#include "emulator/counters.h"
#include "emulator/model.h"
#include "ib/smp.h"

namespace weft::emulator {

struct Place {
  NodeId node;
  PortNum port;  // the port that it came in by; the agent's own port where it started here
};

struct Walk {
  std::optional<Drop> drop;
  Place end;
  unsigned hops = 0;
};

/// Carries an SMP from where it is sent to where an agent or SM takes it, and keeps its hop pointer
/// and return path the way the nodes on the way do. The SMP's own fields say how: a fresh request
/// has hop pointer 0, an answer hop pointer HopCount + 1. Cost: O(hops).
Walk walk(const Model& model, Smp& smp, Place from);

/// The way of data to a LID: by the forwarding tables, over links that are ACTIVE.
Walk walk_data(const Model& model, Lid to, Place from);

}  // namespace weft::emulator
