// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The worst end of packets for one LID over all selections of ports: a loop, which also blocks
// other packets, otherwise the first end that is not an arrival.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "verify/lid_tally.h"
#include "verify/step.h"

namespace weft {

/// Replaces the worst end of packets that start at the same place, if this further end is worse.
inline void worsen(LidEnd& worst, WalkEnd end, SwitchId where) {
  if (end == WalkEnd::kArrived) return;
  if (worst.end == WalkEnd::kArrived || (end == WalkEnd::kLoop && worst.end != WalkEnd::kLoop))
    worst = {worst.known, end, where};
}

/// Finds the worst end of packets from `start` by depth-first search. The search visits states: a
/// switch, with the data that determines the choices there. If a packet can reach a state for which
/// the search is still open, it can return to this state, which is a loop. `ends` and `open` are by
/// state; `open` is 0 for all states.
///
/// graph.enter(state): called once before the other functions; graph.choices(state): the choices in
/// order, each with a Step `step`; graph.next(choice): the state at the end of the channel of the
/// choice; graph.at(state): the switch; graph.finish(state): called when the end is known.
template <class Graph>
void find_worst_end(std::uint32_t start, const Graph& graph, std::span<LidEnd> ends,
                    std::vector<std::uint8_t>& open) {
  struct Frame {
    std::uint32_t state;
    std::size_t next;
  };
  std::vector<Frame> path;
  const auto enter = [&](std::uint32_t state) {
    graph.enter(state);
    open[state] = 1;
    ends[state] = {false, WalkEnd::kArrived, graph.at(state)};
    path.push_back({state, 0});
  };
  enter(start);
  while (!path.empty()) {
    const std::uint32_t state = path.back().state;
    const auto& choices = graph.choices(state);
    LidEnd& worst = ends[state];
    if (path.back().next == choices.size()) {
      worst.known = true;
      graph.finish(state);
      open[state] = 0;
      path.pop_back();
      if (!path.empty()) worsen(ends[path.back().state], worst.end, worst.where);
      continue;
    }
    const auto& choice = choices[path.back().next++];
    if (choice.step.channel == kNoChannel) {
      worsen(worst, choice.step.end, graph.at(state));
      continue;
    }
    const std::uint32_t to = graph.next(choice);
    if (open[to] != 0)
      worsen(worst, WalkEnd::kLoop, graph.at(state));
    else if (ends[to].known)
      worsen(worst, ends[to].end, ends[to].where);
    else
      enter(to);
  }
}

}  // namespace weft
