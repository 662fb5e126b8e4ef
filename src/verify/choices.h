// Adaptive routes as the judge sees them: at every switch whoever wishes the worst for the packet
// chooses among the ports. Packets count as arrived only if they do whatever is chosen; they loop
// if they can; and a channel waits for each that the packets on it may choose next.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/step.h"
#include "verify/verify.h"

namespace weft {

/// Judges LIDs one after another; each task has its own. The routes must have `adaptive`.
class ChoiceJudge {
 public:
  ChoiceJudge(const Fabric& fabric, const Routes& routes, const VerifyOptions& options,
              const Common& common, Dependencies& dependencies);

  void judge(Lid lid, LidTally& tally);

 private:
  using Vertex = DependencyGraph::Vertex;

  bool choices_as_before(Lid lid);
  void find_steps();
  void find_ends();
  void find_end(std::uint32_t start);
  bool dropped(const Endport& source);
  void follow_traffic();
  /// Calls body(held, wanted) for each dependency of packets that enter at a switch, `held` being
  /// nothing at first. Where it says false nobody goes on behind `wanted`.
  template <class Body>
  void follow(SwitchId at, PortNum in, const Body& body);
  std::size_t key(Vertex v) const { return v.channel.value() * std::size_t{common_.vls} + v.vl; }

  const Fabric& fabric_;
  const Routes& routes_;
  const VerifyOptions& options_;
  const Common& common_;
  Dependencies& dependencies_;
  Lid lid_;
  EndportId owner_;
  std::vector<PortMask> ports_;           // by switch: the choices for this LID
  EndportId looked_at_ = kNoEndport;      // whose LID steps_ and ends_ are of
  std::vector<std::vector<Step>> steps_;  // by switch
  std::vector<LidEnd> ends_;
  std::vector<std::uint8_t> open_;
  std::vector<std::uint32_t> seen_;     // by channel and VL: LID and SL
  std::vector<std::uint32_t> visited_;  // the same, of one search
  std::uint32_t search_ = 0;
  std::vector<Vertex> pending_;
};

/// Whether packets of `source` to a LID may hold one vertex and wait for another.
bool may_wait(const Fabric& fabric, const Routes& routes, const Endport& source, Lid lid,
              DependencyGraph::Vertex from, DependencyGraph::Vertex to);

/// Whether a switch may send packets for a LID by a port.
bool may_leave_by(const Routes& routes, SwitchId sw, Lid lid, PortNum port);

}  // namespace weft
