// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies adaptive routes: at every switch an adversary selects the port from the AR group. A
// packet counts as arrived only if it arrives for every selection, and as looping if it loops for
// any selection. A channel depends on each channel that a packet on it may take next.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/adaptive_choices.h"
#include "verify/choices/choice_walk.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/step.h"
#include "verify/verify.h"

namespace weft {

/// One object per task, for ascending LIDs. Hosts of one switch often have the same choices at all
/// other switches; packets to these hosts are then followed for the first host only. Between the
/// LIDs of one switch and those of the next switch, often few choices differ; only the differences
/// are then followed, see follow_changes(). The routes must have `adaptive` without private tables
/// (private_tables/private_verifier.h). All arguments must outlive the object.
class AdaptiveVerifier {
 public:
  AdaptiveVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                   const PathSls& sls, Dependencies& dependencies);

  /// Counts the sources that reach the LID and the pairs that fail, and adds the dependencies.
  void verify(Lid lid, std::size_t failures_max, LidTally& tally);
  /// Only adds the dependencies.
  void trace(Lid lid, LidTally& tally);

 private:
  using Vertex = DependencyGraph::Vertex;
  /// A possible hop of packets at a switch.
  struct Choice {
    Step step;
    SwitchId to = kNoSwitch;  // switch where step.channel ends
  };
  bool load(Lid lid);
  bool is_like_before(EndportId owner) const;
  bool delivers(const Endport& owner) const;
  void renew(std::uint32_t s);
  void find_ends();
  void find_end(std::uint32_t start);
  void count(std::size_t failures_max, LidTally& tally);
  SwitchId where_dropped(const Endport& source);
  bool is_of_switch(EndportId owner) const;
  std::uint32_t height_of(std::uint32_t s) const;
  bool follow_changes();
  bool raise_heights();
  void renew_reach();
  void count_senders(std::uint32_t s, std::uint32_t change);
  void add_changed_turns();
  void follow_all_packets(LidTally& tally);
  void follow_traffic(LidTally& tally);
  void follow_lanes();
  void spread(std::uint32_t s, std::uint16_t lanes, DependencyGraph& graph);
  void add_turns(const Choice& in, std::uint16_t lanes, DependencyGraph& graph);
  /// The steps of packets at a switch, for ChoiceWalk.
  auto each_step() const {
    return [this](SwitchId at, PortNum /*in*/, Sl /*sl*/, const auto& body) {
      for (const Choice& choice : steps_[at.value()]) body(choice.step);
    };
  }
  std::size_t key(Vertex v) const { return v.channel.value() * std::size_t{common_.vls} + v.vl; }

  const Fabric& fabric_;
  const Routes& routes_;
  const Common& common_;
  const PathSls& sls_;
  Dependencies& dependencies_;
  const bool keeps_lanes_;  // the VL of a packet depends only on its SL, and every link has that VL
  Lid lid_;
  EndportId owner_ = kNoEndport;
  bool was_followed_ = false;  // ends_ and the dependencies are those of the previous LID
  AdaptiveChoices choices_;
  std::vector<std::vector<Choice>> steps_;  // by switch
  std::vector<std::uint8_t> is_last_;       // by switch: packets may leave the switch fabric there
  std::vector<std::uint32_t> last_;         // switches that are or were in is_last_
  std::vector<LidEnd> ends_;
  bool all_arrive_ = false;             // except from switches that need no path to the LID
  std::uint64_t switches_missing_ = 0;  // number of these exceptions, if all_arrive_
  std::vector<std::uint8_t> open_;
  std::vector<std::uint32_t> finished_;  // switches, each after all those that it may send to

  // For follow_changes():
  bool is_followed_ = false;            // the members below are those of the previous LID
  std::vector<std::uint32_t> height_;   // by switch: above the heights of all next hops
  std::vector<std::uint8_t> of_cas_;    // by switch: packets of CAs may pass it
  std::vector<std::uint32_t> senders_;  // by switch: number of steps to it from switches in of_cas_
  std::vector<std::uint32_t> renewed_;  // switches with possibly other steps than before
  std::vector<std::uint8_t> is_renewed_;  // by switch
  std::vector<std::uint32_t> to_check_;   // switches for which senders_ changed
  std::vector<std::uint32_t> to_raise_;   // switches with a height_ that may be too low

  // For packets that keep their VL:
  std::vector<std::uint32_t> version_;  // by switch: increased when steps_ changes
  // By channel and VL, for the two graphs: the version of the switch at the end of the channel for
  // which all its turns were added; 0: none were added.
  std::array<std::vector<std::uint32_t>, 2> turns_added_;
  std::vector<std::uint16_t> reached_;  // by switch: VLs of packets followed for this LID
  std::vector<std::uint32_t> to_spread_;

  std::optional<ChoiceWalk> walk_;  // for packets that may change their VL
};

/// Whether packets of `source` to a LID with an SL may hold `from` and wait for `to`. The caller
/// checks with may_leave_by() that both channels may be hops to the LID.
bool may_wait(const Fabric& fabric, const Routes& routes, const Endport& source, Lid lid, Sl sl,
              DependencyGraph::Vertex from, DependencyGraph::Vertex to);

/// Whether a switch may send packets for a LID through a port, by any of its tables.
bool may_leave_by(const Routes& routes, SwitchId sw, Lid lid, PortNum port);

}  // namespace weft
